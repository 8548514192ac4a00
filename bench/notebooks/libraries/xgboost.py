import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
features = pd.DataFrame(rng.normal(size=(20_000, 12)), columns=[f"f{number}" for number in range(12)])
label = (features["f0"] * features["f1"] + features["f2"] > 0.2).astype(int)
# %%
import xgboost as xgb

known, unknown = slice(0, 15_000), slice(15_000, None)
train = xgb.DMatrix(features[known], label[known])
rows = train.num_row()
# %%
booster = xgb.train({"objective": "binary:logistic", "max_depth": 4, "nthread": 2}, xgb.DMatrix(features[known], label[known]), 10)
# %%
chance = booster.predict(xgb.DMatrix(features[unknown]))
right = float(((chance > 0.5) == label[unknown]).mean())
# %%
gains = pd.Series(booster.get_score(importance_type="gain")).sort_values(ascending=False)
gains
# %%
from xgboost import XGBClassifier

model = XGBClassifier(n_estimators=10, max_depth=4, n_jobs=2).fit(features[known], label[known])
# %%
guesses = pd.Series(model.predict(features[unknown]), index=features.index[unknown])
agree = float((guesses == (chance > 0.5)).mean())
# %%
contributions = booster.predict(xgb.DMatrix(features[unknown].head(500)), pred_contribs=True)
# %%
deeper = XGBClassifier(n_estimators=10, max_depth=6, n_jobs=2).fit(features[known], label[known])
better = deeper.score(features[unknown], label[unknown])
# %%
summary = {"rows": rows, "right": right, "agree": agree, "better": better, "shape": contributions.shape}
summary
