# %%
import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

rng = np.random.default_rng(1)
df = pd.DataFrame({"x": np.arange(30.0)})
df["y"] = 2 * df["x"] + 1 + rng.normal(size=30)
# %%
model = smf.ols("y ~ x", df).fit()
# %%
model.params.round(2)
# %%
print(model.summary().tables[1])
# %%
model.rsquared > 0.9
# %%
model.predict(pd.DataFrame({"x": [40.0]})).round(1)
