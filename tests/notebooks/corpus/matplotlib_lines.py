# %%
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 6, 50)
# %%
plt.plot(x, np.sin(x))
plt.title("Sine")
plt.show()
# %%
fig, ax = plt.subplots(figsize=(6, 3))
ax.plot(x, np.cos(x), label="cos")
ax.legend();
# %%
ax.set_title("Changed later")
fig
# %%
fig, axes = plt.subplots(1, 2, figsize=(8, 3))
axes[0].bar(["a", "b"], [1, 2])
axes[1].hist(np.sin(x))
# %%
fig, ax = plt.subplots()
ax.imshow(np.outer(x, x))
plt.show()
# %%
plt.figure(figsize=(3, 3))
plt.scatter(x, x**2)
