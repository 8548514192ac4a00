# %%
import pandas as pd

df = pd.DataFrame({"a": [1.234, -2.5], "b": [0.1, 0.9]})
df.style.format("{:.1f}")
# %%
df.style.highlight_max(axis=0)
# %%
styled = df.style.set_caption("Two rows")
# %%
styled
# %%
df.style.hide(axis="index").format(precision=0)
# %%
display(df)
display(df.T)
# %%
display(df.head(1), "text", 3)
# %%
print(df.to_string())
# %%
print(df.to_markdown() if False else df.to_html()[:20])
