# %%
import numpy as np
from scipy import integrate, optimize, stats

optimize.minimize_scalar(lambda x: (x - 2) ** 2).x.round(4)
# %%
def curve(x, a, b):
    return a * np.exp(-b * x)


x = np.linspace(0, 4, 30)
parameters, _ = optimize.curve_fit(curve, x, curve(x, 2.5, 1.3))
parameters.round(3).tolist()
# %%
integrate.quad(np.sin, 0, np.pi)
# %%
stats.ttest_ind([1, 2, 3, 4], [2, 3, 4, 9]).pvalue.round(4)
# %%
solution = integrate.solve_ivp(lambda t, y: -y, (0, 1), [1.0])
solution.y[0, -1].round(3)
# %%
optimize.root(lambda x: x**2 - 2, 1.0)
# %%
stats.norm(0, 1).cdf(1.96)
