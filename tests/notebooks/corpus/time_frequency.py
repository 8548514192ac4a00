# %%
import matplotlib.pyplot as plt
import pandas as pd

hours = pd.date_range("2021-01-01", periods=6, freq="h")
load = pd.Series([1.0, 2, 4, 3, 5, 6], index=hours)
table = load.to_frame("load")
# %%
load.index.freq
# %%
table.index.freqstr
# %%
pd.cut(load, 3)
# %%
load.plot()
plt.ylabel("load")
# %%
table.shift(freq="D").index[0]
