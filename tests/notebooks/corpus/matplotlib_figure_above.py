# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 3))
ax.plot([1, 2, 3], [1, 4, 9])
# %%
ax.plot([1, 2, 3], [9, 4, 1])
fig
# %%
len(ax.lines)
# %%
ax.set_xlabel("x")
ax.grid(True)
fig
# %%
fig.savefig("curves.png")
# %%
import os

os.path.exists("curves.png")
# %%
plt.close(fig)
