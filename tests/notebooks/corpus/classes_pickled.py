# %%
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
import joblib
# %%
class Clipper(BaseEstimator, TransformerMixin):
    def __init__(self, low=-1.0, high=1.0):
        self.low = low
        self.high = high

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.clip(X, self.low, self.high)
# %%
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
# %%
pipe = Pipeline([("clip", Clipper(-2, 2)), ("model", LogisticRegression())])
pipe.fit(X, y)
# %%
joblib.dump(pipe, "pipe.joblib")
# %%
loaded = joblib.load("pipe.joblib")
loaded.score(X, y)
# %%
type(loaded.named_steps["clip"]) is Clipper
# %%
import pickle

text = pickle.dumps(loaded.named_steps["clip"])
again = pickle.loads(text)
again.high
# %%
class Config:
    def __init__(self, **options):
        self.__dict__.update(options)
# %%
with open("config.pkl", "wb") as f:
    pickle.dump({"config": Config(lr=0.1, depth=3)}, f)
# %%
saved = pickle.load(open("config.pkl", "rb"))
saved["config"].lr, isinstance(saved["config"], Config)
# %%
import shelve

with shelve.open("store") as db:
    db["c"] = Config(a=1)
# %%
with shelve.open("store") as db:
    print(db["c"].a)
