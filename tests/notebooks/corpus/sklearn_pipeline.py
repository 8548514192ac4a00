# %%
import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

np.random.seed(0)
X, y = load_iris(return_X_y=True)
X.shape
# %%
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=1)
# %%
model = make_pipeline(StandardScaler(), LogisticRegression())
# %%
model.fit(X_train, y_train)
# %%
model.score(X_test, y_test)
# %%
cross_val_score(model, X, y, cv=3).mean().round(3)
# %%
predicted = model.predict(X_test)
predicted[:5].tolist()
# %%
from sklearn.metrics import classification_report, confusion_matrix

print(classification_report(y_test, predicted))
# %%
confusion_matrix(y_test, predicted).tolist()
