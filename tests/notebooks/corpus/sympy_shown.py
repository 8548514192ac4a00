# %%
import sympy as sp

sp.init_printing()
t, k = sp.symbols("t k")
# %%
[sp.diff(sp.sin(t), t, n) for n in range(3)]
# %%
matrix = sp.Matrix([[1, 2], [3, 4]])
matrix.eigenvals()
# %%
matrix.inv(), matrix.det()
# %%
sp.solve([t + k - 3, t - k - 1], [t, k])
# %%
sp.factorint(360)
# %%
sp.pi.evalf(5)
