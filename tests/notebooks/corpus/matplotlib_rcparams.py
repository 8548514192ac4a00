# %%
import matplotlib.pyplot as plt

plt.rcParams["figure.figsize"] = (8, 2)
plt.rcParams["font.size"] = 14
# %%
plt.plot([1, 2, 3]);
# %%
plt.bar([1, 2], [3, 4])
plt.show()
# %%
plt.style.use("ggplot")
# %%
plt.plot([3, 2, 1])
plt.show()
# %%
plt.rcParams["figure.figsize"]
# %%
plt.rcdefaults()
# %%
plt.rcParams["figure.figsize"]
