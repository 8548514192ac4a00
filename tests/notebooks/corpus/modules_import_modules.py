# %%
# %%writefile constants.py
VERSION = "1.2"
# %%
# %%writefile helpers.py
import constants


def described(xs):
    return {"n": len(xs), "version": constants.VERSION}
# %%
import helpers
from helpers import described
# %%
helpers.described([1, 2, 3])
# %%
described("ab")
# %%
helpers.constants.VERSION
