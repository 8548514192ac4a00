# %%
import numpy as np
import pandas as pd

np.random.seed(7)
n = 120
df = pd.DataFrame(
    {"age": np.random.randint(1, 80, n), "sex": np.random.choice(["f", "m"], n), "fare": np.random.gamma(2, 20, n).round(2)}
)
df["survived"] = ((df.sex == "f") | (df.age < 10)).astype(int)
df.head()
# %%
df.survived.mean()
# %%
df["sex"] = df["sex"].map({"f": 0, "m": 1})
# %%
features = ["age", "sex", "fare"]
X, y = df[features], df["survived"]
# %%
from sklearn.ensemble import RandomForestClassifier

forest = RandomForestClassifier(n_estimators=10, random_state=0)
forest.fit(X, y)
# %%
forest.score(X, y)
# %%
dict(zip(features, forest.feature_importances_.round(2).tolist()))
# %%
from sklearn.cluster import KMeans

df["cluster"] = KMeans(2, random_state=0, n_init=3).fit_predict(X)
df.groupby("cluster").size().sort_values()
# %%
from sklearn.base import BaseEstimator, TransformerMixin


class Halve(BaseEstimator, TransformerMixin):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X / 2


Halve().fit_transform(X)["age"].head(2)
