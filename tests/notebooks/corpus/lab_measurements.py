# %% [markdown]
# # Pendulum, 12 March
# %%
import numpy as np

lengths = np.array([0.2, 0.4, 0.6, 0.8])
periods = np.array([0.90, 1.27, 1.55, 1.80])
# %%
slope, offset = np.polyfit(lengths, periods**2, 1)
g = 4 * np.pi**2 / slope
print(f"g = {g:.2f} m/s²")
# %%
residuals = periods**2 - (slope * lengths + offset)
residuals.round(3).tolist()
# %%
measured = {"g": g}
measured["error"] = abs(g - 9.81) / 9.81
# %%
print({name: round(float(value), 3) for name, value in measured.items()})
# %%
import matplotlib.pyplot as plt

plt.errorbar(lengths, periods, yerr=0.05, fmt="o")
plt.xlabel("length / m")
plt.ylabel("period / s")
plt.show()
# %%
np.savetxt("pendulum.txt", np.column_stack([lengths, periods]))
# %%
np.loadtxt("pendulum.txt").shape
