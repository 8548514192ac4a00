# %%
words = []
# %%
words.append("first")
# %%
words.append("second")
words.extend(["third"])
words
# %%
words.sort(reverse=True)
# %%
print(words)
len(words)
# %%
counts = {}
for word in words:
    counts[len(word)] = counts.get(len(word), 0) + 1
# %%
counts["all"] = sum(counts.values())
counts
# %%
nested = {"a": {"b": [1]}}
# %%
nested["a"]["b"].append(2)
# %%
nested
