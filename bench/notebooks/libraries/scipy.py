import numpy as np
from scipy import signal

rng = np.random.default_rng(0)
times = np.linspace(0, 20, 200_000)
wave = np.sin(2 * np.pi * 1.3 * times) + 0.4 * rng.normal(size=times.size)
# %%
smooth = signal.filtfilt(*signal.butter(4, 0.01), wave)
# %%
peaks, facts = signal.find_peaks(smooth, prominence=0.5)
spacing = float(np.diff(times[peaks]).mean())
# %%
from scipy import optimize


def model(t, height, pace, shift):
    return height * np.sin(2 * np.pi * pace * t + shift)


found, spread = optimize.curve_fit(model, times[::20], smooth[::20], p0=[1.0, 1 / spacing, 0.0])
# %%
from scipy import stats

rest = wave - model(times, *found)
normal = stats.kstest(rest[:20_000] / rest.std(), "norm")
# %%
density = stats.gaussian_kde(rest[:2000])(np.linspace(-2, 2, 500))
# %%
from scipy import sparse

grid = sparse.diags_array([np.full(89_999, -1.0), np.full(90_000, 4.01), np.full(89_999, -1.0)], offsets=[-1, 0, 1]).tocsr()
solved = sparse.linalg.spsolve(grid.tocsc(), np.ones(90_000))
# %%
from scipy import integrate

path = integrate.solve_ivp(lambda t, s: [s[1], -found[1] * s[0]], (0, 60), [1.0, 0.0], max_step=0.1)
# %%
from scipy import spatial

points = np.column_stack([rest[:20_000], smooth[:20_000], wave[:20_000]])
near, _ = spatial.KDTree(points).query(points[:5000], k=4)
# %%
summary = {"pace": float(found[1]), "p": float(normal.pvalue), "near": float(near.mean()), "steps": path.t.size}
summary
