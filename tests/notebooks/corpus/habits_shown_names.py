# %%
from collections import defaultdict


class Shape:
    pass


def area(width, height=2):
    return width * height
# %%
type(3)
# %%
[int, str, type(None)]
# %%
Shape
# %%
area
# %%
lambda side: side**2
# %%
len
# %%
groups = defaultdict(list)
for n in range(4):
    groups[n % 2].append(n)
groups
# %%
{"kind": float, "make": area}
