# %%
from sympy import *

init_printing()
x, y = symbols("x y")
# %%
expression = sin(x) ** 2 + x * y
expression
# %%
diff(expression, x)
# %%
integrate(exp(-(x**2)), (x, -oo, oo))
# %%
solve(x**2 - 5 * x + 6, x)
# %%
Matrix([[1, x], [y, 2]])
# %%
print(expand((x + y) ** 3))
# %%
limit(sin(x) / x, x, 0)
# %%
expression.subs({x: 0, y: 1})
# %%
Eq(x, y)
