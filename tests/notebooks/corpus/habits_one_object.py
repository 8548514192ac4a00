# %%
import heapq

import numpy as np
import pandas as pd

df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
tables = [df]
grid = np.arange(6).reshape(2, 3)
queue = [1, 5, 3]
# %%
del df["b"]
df.columns.tolist()
# %%
other = df
other["c"] = 9
df.columns.tolist()
# %%
for table in tables:
    table["d"] = table["a"] * 2
df
# %%
row = grid[0]
row[:] = 7
grid
# %%
same = grid
same[1, 1] = -1
grid
# %%
grid.sum(), df.shape, other.shape, tables[0].shape
# %%
heapq.heappop(queue)
# %%
queue
