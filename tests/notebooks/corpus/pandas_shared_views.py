# %%
import pandas as pd

df = pd.DataFrame({"a": [1, 2, 3]})
other = df
# %%
other["b"] = 9
# %%
df
# %%
columns = {"frame": df}
# %%
columns["frame"]["c"] = 0
# %%
df.columns.tolist()
# %%
def clean(frame):
    frame["d"] = 1
    return frame


clean(df)
# %%
df.shape
