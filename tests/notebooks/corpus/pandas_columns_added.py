# %%
import pandas as pd

df = pd.DataFrame({"name": ["a", "b", "c"], "price": [1.0, 2.5, 4.0], "count": [3, 1, 2]})
df
# %%
df["total"] = df["price"] * df["count"]
# %%
df.head(2)
# %%
df.loc[df["count"] > 1, "label"] = "many"
# %%
df
# %%
df.drop(columns="label", inplace=True)
df.columns
# %%
df = df.rename(columns={"total": "sum"})
df.shape
# %%
df.describe()
# %%
df.dtypes
# %%
df["sum"].mean()
# %%
df.sort_values("sum", inplace=True, ascending=False)
df
# %%
df.info()
