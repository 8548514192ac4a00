# %%
def naturals():
    n = 0
    while True:
        yield n
        n += 1


numbers = naturals()
# %%
next(numbers), next(numbers)
# %%
next(numbers)
# %%
squares = (n * n for n in range(5))
# %%
sum(squares)
# %%
import itertools

pairs = zip("abc", itertools.count(1))
# %%
list(pairs)
# %%
lines = iter(["a", "b", "c"])
# %%
for line in lines:
    print(line)
    break
# %%
list(lines)
