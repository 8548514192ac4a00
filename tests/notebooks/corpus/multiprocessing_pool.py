# %%
from multiprocessing import Pool


def square(n):
    return n * n
# %%
with Pool(2) as pool:
    squares = pool.map(square, range(6))
squares
# %%
factor = 10


def scaled(n):
    return square(n) * factor
# %%
with Pool(2) as pool:
    print(pool.map(scaled, [1, 2, 3]))
# %%
from concurrent.futures import ProcessPoolExecutor

with ProcessPoolExecutor(2) as pool:
    print(sum(pool.map(square, range(10))))
