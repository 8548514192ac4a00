# %%
def countdown(n):
    while n > 0:
        yield n
        n -= 1


gen = countdown(5)
# %%
next(gen)
# %%
next(gen), next(gen)
# %%
list(gen)
# %%
def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1


it = primes()
first = [next(it) for _ in range(5)]
first
# %%
more = [next(it) for _ in range(3)]
more
# %%
from itertools import islice, count, tee, permutations, accumulate, groupby

squares = (k * k for k in count(1))
list(islice(squares, 4))
# %%
list(islice(squares, 2))
# %%
from functools import lru_cache


@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


fib(80)
# %%
fib.cache_info()
# %%
def quicksort(xs):
    if len(xs) <= 1:
        return xs
    pivot, *rest = xs
    return quicksort([x for x in rest if x < pivot]) + [pivot] + quicksort([x for x in rest if x >= pivot])


quicksort([5, 3, 8, 1, 9, 2])
# %%
import heapq

heap = []
for job in [(3, "wash"), (1, "code"), (2, "eat")]:
    heapq.heappush(heap, job)
# %%
heapq.heappop(heap)
# %%
heap
# %%
from collections import deque

graph = {"A": ["B", "C"], "B": ["D"], "C": ["D"], "D": []}
visited = []


def bfs(start):
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node not in visited:
            visited.append(node)
            queue.extend(graph[node])


bfs("A")
visited
# %%
calls = 0


def hanoi(n, a, b, c):
    global calls
    calls += 1
    if n:
        hanoi(n - 1, a, c, b)
        hanoi(n - 1, c, b, a)
# %%
hanoi(5, "a", "b", "c")
calls
# %%
hanoi(2, "a", "b", "c")
print(calls)
# %%
memo = {}


def grid_paths(r, c):
    if (r, c) in memo:
        return memo[r, c]
    if r == 1 or c == 1:
        return 1
    memo[r, c] = grid_paths(r - 1, c) + grid_paths(r, c - 1)
    return memo[r, c]
# %%
grid_paths(6, 6)
# %%
len(memo)
# %%
def averager():
    total, n = 0.0, 0
    avg = None
    while True:
        x = yield avg
        total += x
        n += 1
        avg = total / n


avg = averager()
next(avg)
# %%
avg.send(10)
# %%
avg.send(30)
# %%
def make_counter():
    c = 0

    def inc():
        nonlocal c
        c += 1
        return c

    return inc


tick = make_counter()
tick()
# %%
tick(), tick()
# %%
import time


def timed(f):
    def wrapper(*a):
        t = time.perf_counter()
        r = f(*a)
        wrapper.calls += 1
        return r

    wrapper.calls = 0
    return wrapper


@timed
def slow(x):
    return x * 2
# %%
slow(2)
slow(3)
slow.calls
# %%
[("".join(p)) for p in permutations("abc")][:4], list(accumulate(range(6)))
# %%
# %timeit -n 10 -r 1 sum(range(100))
# %%
import random

random.seed(7)
data = random.sample(range(100), 8)
data
# %%
random.shuffle(data)
data
# %%
random.random()
