import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
frame = pd.DataFrame({"x": np.arange(2000) % 50, "y": rng.normal(size=2000).cumsum(), "kind": ["a", "b"] * 1000})
# %%
import seaborn as sns

sns.set_theme()
sns.lineplot(data=frame, x="x", y="y", hue="kind", errorbar=None)
# %%
sns.histplot(frame["y"], bins=40)
# %%
sns.boxplot(data=frame, x="kind", y="y")
# %%
sns.scatterplot(data=frame, x="x", y="y", hue="kind")
# %%
means = frame.groupby(["x", "kind"])["y"].mean().unstack()
means
# %%
sns.heatmap(means)
# %%
sns.kdeplot(data=frame, x="y", hue="kind")
# %%
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2)
sns.regplot(data=frame.head(300), x="x", y="y", ax=left, ci=None)
sns.violinplot(data=frame, x="kind", y="y", ax=right)
figure
# %%
total = float(means.to_numpy().sum())
total
