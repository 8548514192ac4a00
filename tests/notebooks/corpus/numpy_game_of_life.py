# %%
import numpy as np

grid = np.zeros((6, 6), dtype=int)
grid[2, 1:4] = 1
print(grid)
# %%
def step(grid):
    around = sum(np.roll(np.roll(grid, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)) - grid
    return ((around == 3) | ((grid == 1) & (around == 2))).astype(int)
# %%
grid = step(grid)
print(grid)
# %%
for _ in range(3):
    grid = step(grid)
grid.sum()
# %%
np.argwhere(grid).tolist()
