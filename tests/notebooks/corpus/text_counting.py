# %%
import re
import string
from collections import Counter, defaultdict
# %%
text = """It was the best of times, it was the worst of times, it was the age of wisdom,
it was the age of foolishness, it was the epoch of belief... We had everything before us!"""
print(text[:40])
# %%
words = re.findall(r"[a-z']+", text.lower())
len(words), words[:6]
# %%
counts = Counter(words)
counts.most_common(5)
# %%
stop = {"it", "was", "the", "of", "us", "we"}
filtered = [w for w in words if w not in stop]
counts.update(filtered)
counts["age"]
# %%
counts
# %%
index = defaultdict(list)
for i, w in enumerate(words):
    index[w].append(i)
# %%
index["age"], index["nothing"]
# %%
len(index)
# %%
index
# %%
table = str.maketrans("", "", string.punctuation)
clean = text.translate(table)
clean.split()[:8]
# %%
bigrams = list(zip(words, words[1:]))
Counter(bigrams).most_common(3)
# %%
m = re.search(r"(?P<what>\w+) of (?P<of>\w+)", text)
m
# %%
m.group("what"), m.groupdict(), m.span()
# %%
pattern = re.compile(r"\b(\w)\w*\1\b")
pattern
# %%
pattern.findall(text)
# %%
docs = ["the cat sat", "the dog sat", "a cat and a dog"]
vocab = sorted({w for d in docs for w in d.split()})
vocab
# %%
import math

df = Counter(w for d in docs for w in set(d.split()))
idf = {w: math.log(len(docs) / df[w]) for w in vocab}
{w: round(v, 3) for w, v in idf.items()}
# %%
def tfidf(doc):
    tf = Counter(doc.split())
    return {w: tf[w] * idf[w] for w in tf}


for d in docs:
    print({w: round(s, 2) for w, s in tfidf(d).items()})
# %%
class Markov:
    def __init__(self):
        self.table = defaultdict(Counter)

    def feed(self, tokens):
        for a, b in zip(tokens, tokens[1:]):
            self.table[a][b] += 1


mk = Markov()
# %%
mk.feed(words)
# %%
mk.table["the"]
# %%
mk.feed(["the", "end"])
mk.table["the"].most_common(1), len(mk.table)
# %%
re.sub(r"(\w+) of (\w+)", r"\2's \1", text)[:60]
# %%
import textwrap

print(textwrap.fill(text, width=50))
# %%
sorted(set(text.lower()) - set(string.ascii_lowercase))
