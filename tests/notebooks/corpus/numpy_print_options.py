# %%
import numpy as np

np.set_printoptions(precision=2, suppress=True)
# %%
print(np.array([1.23456, 0.000001234]))
# %%
print(np.pi * np.ones((2, 2)))
# %%
np.set_printoptions(threshold=5)
# %%
print(np.arange(100))
# %%
with np.errstate(divide="ignore"):
    print(np.array([1.0]) / 0)
# %%
np.seterr(all="ignore")
# %%
print(np.log(np.array([0.0])))
