# %%
import numpy as np

a = np.arange(12).reshape(3, 4)
a
# %%
a[1, 2], a[:, 1]
# %%
a[0] = -1
# %%
a.sum(axis=0)
# %%
print(a)
# %%
b = a * 2.5
b.mean()
# %%
a[a > 5]
# %%
np.linspace(0, 1, 5)
# %%
m = np.eye(2)
m[0, 1] = 3
m @ m
# %%
np.linalg.inv(m), np.linalg.det(m)
