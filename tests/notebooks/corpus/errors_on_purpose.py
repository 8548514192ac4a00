# %%
def divide(a, b):
    return a / b
# %% tags=["raises-exception"]
divide(1, 0)
# %%
try:
    int("twelve")
except ValueError as error:
    print("no:", error)
# %% tags=["raises-exception"]
{"a": 1}["b"]
# %%
class TooSmall(Exception):
    pass
# %% tags=["raises-exception"]
kept = "kept"
raise TooSmall("smaller than 3")
# %%
kept
# %% tags=["raises-exception"]
undefined_name + 1
# %%
print("on we go")
# %% tags=["raises-exception"]
assert 1 + 1 == 3, "arithmetic"
