# %%
A = [[2, 1], [1, 3]]
b = [3, 5]
# %%
import numpy as np

A = np.array(A, float)
b = np.array(b, float)
# %%
np.linalg.solve(A, b)
# %%
A[0] /= A[0, 0]
# %%
A
# %%
A[1] -= A[1, 0] * A[0]
print(A)
# %%
values, vectors = np.linalg.eigh(np.array([[2.0, 0], [0, 3.0]]))
values
# %%
vectors
# %%
np.float64(2.5), np.int64(3)
# %%
np.float32(0.1)
