# %%
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

sns.set_theme(style="whitegrid", rc={"figure.figsize": (9, 3)})
# %%
df = pd.DataFrame({"group": list("aabbcc"), "value": [1, 3, 2, 5, 4, 4]})
# %%
sns.barplot(data=df, x="group", y="value")
plt.show()
# %%
sns.boxplot(data=df, x="group", y="value")
# %%
plt.plot([1, 2])
plt.show()
# %%
ax = sns.heatmap(df.pivot_table(index="group", values="value"))
ax.set_title("Means");
