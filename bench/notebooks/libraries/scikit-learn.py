import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

X, y = make_classification(n_samples=10000, n_features=20, n_informative=8, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %%
from sklearn.preprocessing import StandardScaler

scaler = StandardScaler().fit(X_train)
scaled_train, scaled_test = scaler.transform(X_train), scaler.transform(X_test)
# %%
from sklearn.linear_model import LogisticRegression

linear = LogisticRegression(max_iter=500).fit(scaled_train, y_train)
linear_score = linear.score(scaled_test, y_test)
# %%
from sklearn.ensemble import RandomForestClassifier

forest = RandomForestClassifier(n_estimators=12, max_depth=8, random_state=0).fit(scaled_train, y_train)
# %%
forest_score = forest.score(scaled_test, y_test)
important = np.argsort(forest.feature_importances_)[::-1][:5]
# %%
from sklearn.decomposition import PCA

flat = PCA(5, random_state=0).fit_transform(scaled_train)
# %%
from sklearn.cluster import KMeans

groups = KMeans(4, random_state=0, n_init=2, max_iter=50).fit_predict(flat)
sizes = np.bincount(groups)
# %%
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

folds = cross_val_score(GaussianNB(), scaled_train, y_train, cv=5)
# %%
from sklearn.metrics import confusion_matrix, roc_auc_score

table = confusion_matrix(y_test, forest.predict(scaled_test))
area = roc_auc_score(y_test, linear.predict_proba(scaled_test)[:, 1])
# %%
report = {"linear": linear_score, "forest": forest_score, "folds": float(folds.mean()), "area": float(area)}
report
