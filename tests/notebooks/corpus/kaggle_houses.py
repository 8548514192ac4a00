# %%
import numpy as np
import pandas as pd
import warnings

warnings.filterwarnings("ignore")
pd.set_option("display.max_columns", None)
rng = np.random.default_rng(3)
train = pd.DataFrame({"area": rng.integers(40, 200, 80), "rooms": rng.integers(1, 7, 80), "zone": rng.choice(["A", "B"], 80)})
train["price"] = train.area * 1000 + train.rooms * 5000
train.head()
# %%
train.describe().round(1)
# %%
train["zone"].value_counts(normalize=True).round(2)
# %%
train = pd.get_dummies(train, columns=["zone"])
train.head(3)
# %%
train["log_price"] = np.log1p(train["price"])
corr = train.corr(numeric_only=True)["price"].round(2)
corr
# %%
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error

X = train[["area", "rooms"]]
model = LinearRegression().fit(X, train.price)
# %%
print(model.coef_.round(1), round(mean_absolute_error(train.price, model.predict(X)), 2) + 0.0)
# %%
submission = pd.DataFrame({"Id": train.index, "SalePrice": model.predict(X)})
submission.to_csv("submission.csv", index=False)
submission.head()
