# %%
import numpy as np

np.random.seed(42)
# %%
np.random.rand(3).round(4).tolist()
# %%
np.random.randint(0, 10, 5).tolist()
# %%
sample = np.random.normal(size=1000)
round(float(sample.mean()), 4)
# %%
rng = np.random.default_rng(0)
# %%
rng.integers(0, 100, 3).tolist()
# %%
rng.integers(0, 100, 3).tolist()
# %%
np.random.permutation(5).tolist()
