# %%
import numpy as np

np.random.seed(1)
X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
y = np.array([[0, 1, 1, 0]]).T
# %%
W1 = 2 * np.random.random((3, 4)) - 1
W2 = 2 * np.random.random((4, 1)) - 1
# %%
def sigmoid(x):
    return 1 / (1 + np.exp(-x))
# %%
losses = []
for epoch in range(2000):
    hidden = sigmoid(X @ W1)
    out = sigmoid(hidden @ W2)
    error = y - out
    losses.append(float(np.abs(error).mean()))
    d_out = error * out * (1 - out)
    d_hidden = d_out @ W2.T * hidden * (1 - hidden)
    W2 += hidden.T @ d_out
    W1 += X.T @ d_hidden
    if epoch % 500 == 0:
        print(epoch, round(losses[-1], 4))
# %%
out.round(1).ravel().tolist()
# %%
print(W2.round(1))
# %%
losses[-1] < 0.1
