# %%
text = "the quick brown fox jumps over the lazy dog"
text.title()
# %%
words = text.split()
sorted(words, key=len)[-1]
# %%
from collections import Counter

letters = Counter(text.replace(" ", ""))
letters.most_common(3)
# %%
_
# %%
print(text.count("o"), text.index("fox"), text[::-1][:10], sep="\n")
# %%
"{:>10}|{:<10}|{:^10}".format("a", "b", "c")
# %%
import re

re.findall(r"\b\w{5}\b", text)
# %%
name = "Ada"
f"{name!r:>8} has {len(name)} letters, π≈{3.14159:.2f}"
