# %%
def hanoi(n, source="A", target="C", spare="B"):
    if n == 0:
        return 0
    return hanoi(n - 1, source, spare, target) + 1 + hanoi(n - 1, spare, target, source)
# %%
[hanoi(n) for n in range(6)]
# %%
def is_even(n):
    return n == 0 or is_odd(n - 1)
# %%
def is_odd(n):
    return n != 0 and is_even(n - 1)
# %%
is_even(10), is_odd(7)
# %%
def permutations(items):
    if not items:
        yield []
    for at, item in enumerate(items):
        for rest in permutations(items[:at] + items[at + 1 :]):
            yield [item, *rest]


list(permutations([1, 2, 3]))
# %%
import sys

sys.setrecursionlimit(3000)
# %%
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


depth(2000)
