# %%
from joblib import Memory, Parallel, delayed


def cube(n):
    return n**3
# %%
Parallel(n_jobs=2)(delayed(cube)(n) for n in range(5))
# %%
memory = Memory("cache", verbose=0)


@memory.cache
def slow(n):
    return n + 1
# %%
slow(3), slow(3)
# %%
import joblib

joblib.dump({"a": cube(2)}, "model.joblib")
# %%
joblib.load("model.joblib")
