# %%
import pandas as pd

index = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["letter", "number"])
df = pd.DataFrame({"value": [10, 20, 30, 40]}, index=index)
df
# %%
df.loc["a"]
# %%
df.xs(2, level="number")
# %%
df.unstack()
# %%
df.index.get_level_values("letter").tolist()
# %%
df.swaplevel().sort_index()
# %%
df.groupby(level=0).mean()
# %%
df.reset_index().melt(id_vars=["letter", "number"])
