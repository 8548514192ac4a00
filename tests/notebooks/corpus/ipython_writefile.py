# %%
# %%writefile helpers.py
# def double(value):
#     return 2 * value
#
# NAME = "helpers"
# %%
import helpers

helpers.double(21)
# %%
from helpers import NAME, double

f"{NAME}: {double('ab')}"
# %%
# %%writefile data.txt
# 1 2 3
# %%
[int(part) for part in open("data.txt").read().split()]
# %%
# %run helpers.py
# %%
double(4)
