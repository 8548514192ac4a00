# %%
import os
import sys

os.makedirs("lib", exist_ok=True)
with open("lib/shapes.py", "w") as file:
    file.write("def square(side):\n    return side * side\n\nLIMIT = 4\n")
# %%
sys.path.append("lib")
# %%
import shapes

shapes.square(3)
# %%
from shapes import *

square(LIMIT)
# %%
from math import *

round(sqrt(2) * cos(0), 3)
# %%
import shapes as s

s.LIMIT = 9
# %%
s.LIMIT
