# %%
import pandas as pd

pd.set_option("display.precision", 2)
pd.set_option("display.max_rows", 6)
pd.options.display.float_format = "{:.1f}".format
# %%
df = pd.DataFrame({"x": [1 / 3, 2 / 3], "y": [100.123, 5]})
print(df)
# %%
df
# %%
print(pd.Series(range(20)))
# %%
pd.get_option("display.max_rows")
# %%
pd.reset_option("all")
# %%
print(df)
