# %%
import numpy as np
import pandas as pd

days = pd.date_range("2024-01-01", periods=60, freq="D")
series = pd.Series(np.arange(60) % 7, index=days, name="visits")
series.head()
# %%
series.resample("ME").sum()
# %%
series.rolling(7).mean().dropna().head(3)
# %%
df = series.to_frame()
df["weekday"] = df.index.day_name()
df.head(3)
# %%
df.groupby("weekday")["visits"].mean().round(2)
# %%
series["2024-02"].sum()
# %%
pd.Timestamp("2024-03-01") - days[0]
# %%
df.loc["2024-01-05":"2024-01-07"]
