# %%
import numpy as np
import matplotlib.pyplot as plt
np.random.seed(1)
# %%
X = np.random.randn(80, 2)
y = (X @ np.array([1.5, -2.0]) + 0.3 > 0).astype(float)
X.shape, y.mean()
# %%
class LogReg:
    def __init__(self, lr=0.1):
        self.lr = lr
        self.w = np.zeros(2)
        self.b = 0.0
        self.losses = []

    def _forward(self, X):
        return 1 / (1 + np.exp(-(X @ self.w + self.b)))

    def step(self, X, y):
        p = self._forward(X)
        err = p - y
        self.w -= self.lr * X.T @ err / len(y)
        self.b -= self.lr * err.mean()
        loss = -(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9)).mean()
        self.losses.append(loss)
        return loss

    def predict(self, X):
        return (self._forward(X) > 0.5).astype(int)
# %%
model = LogReg()
model.step(X, y)
# %%
for epoch in range(50):
    loss = model.step(X, y)
print(f"{loss:.4f}")
# %%
len(model.losses), model.w.round(3)
# %%
plt.plot(model.losses)
plt.xlabel("step"); plt.ylabel("loss");
# %%
acc = (model.predict(X) == y).mean()
print("accuracy", acc)
# %%
def train(model, n):
    for _ in range(n):
        model.step(X, y)
    return model.losses[-1]


train(model, 100) < 0.5
# %%
len(model.losses)
# %%
best = None
for lr in [0.01, 0.1, 1.0]:
    m = LogReg(lr)
    final = train(m, 100)
    if best is None or final < best[0]:
        best = (final, lr)
best[1]
# %%
idx = np.random.permutation(len(X))
train_idx, test_idx = idx[:60], idx[60:]
Xtr, Xte = X[train_idx], X[test_idx]
Xtr.mean(axis=0).round(3)
# %%
m2 = LogReg(1.0)
history = [m2.step(Xtr, y[train_idx]) for _ in range(200)]
(m2.predict(Xte) == y[test_idx]).mean()
# %%
confusion = np.zeros((2, 2), int)
for t, p in zip(y[test_idx].astype(int), m2.predict(Xte)):
    confusion[t, p] += 1
confusion
# %%
xx, yy = np.meshgrid(np.linspace(-3, 3, 30), np.linspace(-3, 3, 30))
zz = m2.predict(np.c_[xx.ravel(), yy.ravel()]).reshape(xx.shape)
plt.contourf(xx, yy, zz, alpha=0.3)
plt.scatter(*X.T, c=y, s=10)
plt.show()
# %%
model.lr = 0.5
model.reset = lambda: setattr(model, "w", np.zeros(2))
# %%
vars(model).keys()
