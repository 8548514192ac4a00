# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
# %matplotlib inline
sns.set_style("whitegrid")
plt.rcParams["figure.figsize"] = (8, 5)
# %%
np.random.seed(42)
n = 120
df = pd.DataFrame({
    "species": np.random.choice(["Adelie", "Gentoo", "Chinstrap"], n),
    "bill": np.random.normal(44, 5, n).round(1),
    "mass": np.random.normal(4200, 800, n).round(0),
    "sex": np.random.choice(["m", "f", None], n, p=[0.45, 0.45, 0.1]),
})
df.loc[::17, "bill"] = np.nan
df.head()
# %%
df.shape
# %%
df.info()
# %%
df.isnull().sum()
# %%
df.describe().T
# %%
df["species"].value_counts()
# %%
df["bill"].fillna(df["bill"].median(), inplace=True)
df.isna().sum().sum()
# %%
df["bill"] = df["bill"].fillna(df["bill"].median())
df = df.dropna(subset=["sex"])
len(df)
# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4))
# %%
axes[0].hist(df["bill"], bins=15)
axes[0].set_title("Bill")
# %%
sns.boxplot(data=df, x="species", y="mass", ax=axes[1])
fig
# %%
df.groupby("species")["mass"].agg(["mean", "std", "count"]).round(1)
# %%
df["size"] = pd.cut(df["mass"], bins=[0, 3800, 4600, 9999], labels=["small", "medium", "large"])
pd.crosstab(df["species"], df["size"])
# %%
num = df.select_dtypes("number")
corr = num.corr()
sns.heatmap(corr, annot=True)
plt.title("Correlation")
plt.show()
# %%
for col in num.columns:
    print(f"{col:>8}: {num[col].mean():.2f} ± {num[col].std():.2f}")
# %%
df.query("mass > 5000 and sex == 'm'").sort_values("mass", ascending=False).head(3)
# %%
df["log_mass"] = np.log(df["mass"])
df.drop(columns=["log_mass"], inplace=True)
df.columns
# %%
pivot = df.pivot_table(index="species", columns="sex", values="mass", aggfunc="mean")
pivot.plot(kind="bar");
# %%
dummies = pd.get_dummies(df[["species", "sex"]], drop_first=True)
dummies.head(2)
# %%
df.sample(3, random_state=1)
# %%
print(df.groupby(["species", "sex"]).size().unstack(fill_value=0))
