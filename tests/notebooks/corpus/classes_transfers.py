# %%
import numpy as np
import matplotlib.pyplot as plt
from dataclasses import dataclass, field
# %%
@dataclass
class Account:
    owner: str
    balance: float = 0.0
    log: list = field(default_factory=list)


accounts = [Account("a", 100), Account("b")]
accounts
# %%
def transfer(src, dst, amount):
    if src.balance < amount:
        raise ValueError(f"{src.owner} has only {src.balance}")
    src.balance -= amount
    dst.balance += amount
    src.log.append(-amount)
    dst.log.append(amount)
# %%
transfer(accounts[0], accounts[1], 30)
accounts
# %%
a, b = accounts
transfer(a, b, 20)
# %%
a.balance, b.balance
# %%
accounts[0].balance
# %%
try:
    transfer(b, a, 1000)
except ValueError as e:
    print("failed:", e)
# %%
rng = np.random.default_rng(5)
path = [100.0]
for _ in range(50):
    path.append(path[-1] * (1 + rng.normal(0, 0.02)))
path = np.array(path)
# %%
plt.plot(path)
plt.title("One path")
plt.grid(True)
# %%
paths = 100 * np.exp(np.cumsum(rng.normal(0, 0.02, (200, 50)), axis=1))
final = paths[:, -1]
print(f"mean {final.mean():.2f}, sd {final.std():.2f}")
# %%
fig, (ax1, ax2) = plt.subplots(2, 1, figsize=(6, 6))
ax1.plot(paths[:10].T, lw=0.8)
ax2.hist(final, bins=30)
ax2.axvline(final.mean(), color="r")
fig.suptitle("Paths")
plt.tight_layout()
plt.show()
# %%
settings = {"rate": 0.01, "years": 10}


def grow(x, **kw):
    s = {**settings, **kw}
    return x * (1 + s["rate"]) ** s["years"]


grow(100)
# %%
settings["rate"] = 0.05
grow(100)
# %%
grow(100, years=1)
# %%
results = {}
for rate in (0.01, 0.02, 0.05):
    settings["rate"] = rate
    results[rate] = grow(100)
results
# %%
settings
