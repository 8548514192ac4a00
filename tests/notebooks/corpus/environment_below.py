# %%
import os

os.environ["MODE"] = "test"
# %%
os.environ["MODE"]
# %%
%env OTHER=1
# %%
os.environ["OTHER"]
