# %%
import pandas as pd
import numpy as np
import matplotlib.pyplot as plt
from datetime import datetime, timedelta
# %%
rng = np.random.RandomState(3)
idx = pd.date_range("2023-01-01", periods=365, freq="D")
ts = pd.Series(10 + 0.01 * np.arange(365) + np.sin(np.arange(365) / 7 * 2 * np.pi) + rng.randn(365) * 0.3, index=idx, name="load")
ts.head()
# %%
ts.index
# %%
monthly = ts.resample("ME").mean()
monthly
# %%
ts["2023-03"].mean(), ts.loc["2023-06-01":"2023-06-03"]
# %%
roll = ts.rolling(window=7)
# %%
roll.mean().dropna().head(3)
# %%
fig, ax = plt.subplots()
ts.plot(ax=ax, alpha=0.4, label="daily")
roll.mean().plot(ax=ax, label="7 days")
ax.legend();
# %%
ts.shift(1).corr(ts)
# %%
frame = ts.to_frame()
frame["weekday"] = frame.index.day_name()
frame["month"] = frame.index.month
frame.groupby("weekday")["load"].mean().sort_values()
# %%
frame["diff"] = frame["load"].diff()
frame["diff"].describe()
# %%
train, test = ts[:-30], ts[-30:]
naive = pd.Series(train.iloc[-7:].tolist() * 5, index=pd.date_range(test.index[0], periods=35))[: len(test)]
mae = (test - naive.values).abs().mean()
print(f"MAE = {mae:.3f}")
# %%
def exp_smooth(series, alpha):
    result = [series.iloc[0]]
    for value in series.iloc[1:]:
        result.append(alpha * value + (1 - alpha) * result[-1])
    return pd.Series(result, index=series.index)
# %%
for alpha in (0.1, 0.5, 0.9):
    plt.plot(exp_smooth(ts, alpha)[:60], label=f"alpha={alpha}")
plt.legend()
plt.title("Smoothing")
# %%
now = datetime(2024, 2, 28)
[(now + timedelta(days=d)).strftime("%a %d %b") for d in range(3)]
# %%
pd.to_datetime(["01/02/2024", "15/02/2024"], dayfirst=True)
# %%
p = pd.period_range("2024Q1", periods=4, freq="Q")
p
# %%
tz = ts.head(2).tz_localize("UTC").tz_convert("Europe/Berlin")
tz
# %%
pd.Timestamp("2024-01-31") + pd.offsets.MonthEnd(1), pd.Timedelta("2 days 3 hours")
# %%
acf = [1.0] + [ts.autocorr(lag) for lag in range(1, 15)]
np.round(acf, 2)
# %%
ts.groupby([ts.index.quarter, ts.index.dayofweek]).mean().unstack().round(2)
