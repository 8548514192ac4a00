# %%
text = """It was the best of times, it was the worst of times,
it was the age of wisdom, it was the age of foolishness"""
# %%
import re
from collections import Counter, defaultdict

words = re.findall(r"\w+", text.lower())
len(words), len(set(words))
# %%
Counter(words).most_common(4)
# %%
follows = defaultdict(list)
for one, other in zip(words, words[1:]):
    follows[one].append(other)
# %%
follows["the"]
# %%
follows["the"].append("end")
# %%
dict(follows)["the"][-1]
# %%
import textwrap

print(textwrap.fill(text, 40))
# %%
import pandas as pd

pd.Series(words).value_counts().head(3)
