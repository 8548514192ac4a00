# %%
import io

import pandas as pd

text = """date,city,temp
2024-01-01,Oslo,-4.5
2024-01-01,Rome,9.1
2024-01-02,Oslo,
2024-01-02,Rome,10.0
"""
df = pd.read_csv(io.StringIO(text), parse_dates=["date"])
df
# %%
df.isna().sum()
# %%
df["temp"] = df["temp"].fillna(df["temp"].mean())
# %%
df.to_csv("temps.csv", index=False)
# %%
again = pd.read_csv("temps.csv")
again.equals(df), again.dtypes["date"]
# %%
# !head -2 temps.csv
# %%
df.pivot(index="date", columns="city", values="temp")
# %%
df.query("city == 'Oslo'")
# %%
df.merge(pd.DataFrame({"city": ["Oslo", "Rome"], "country": ["NO", "IT"]}), on="city")
# %%
df.T
