# %%
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
# %%
q = queue.Queue()
results = []
# %%
def worker():
    while True:
        item = q.get()
        if item is None:
            break
        results.append(item * item)
        q.task_done()
# %%
t = threading.Thread(target=worker)
t.start()
for i in range(5):
    q.put(i)
q.put(None)
t.join()
results
# %%
sorted(results, reverse=True)
# %%
lock = threading.Lock()
counter = 0


def add(n):
    global counter
    for _ in range(n):
        with lock:
            counter += 1
# %%
threads = [threading.Thread(target=add, args=(100,)) for _ in range(4)]
for th in threads:
    th.start()
for th in threads:
    th.join()
counter
# %%
def square(x):
    return x * x


with ThreadPoolExecutor(max_workers=3) as ex:
    print(list(ex.map(square, range(6))))
# %%
futures = {}
with ThreadPoolExecutor() as ex:
    for n in (3, 1, 2):
        futures[ex.submit(square, n)] = n
done = sorted((futures[f], f.result()) for f in as_completed(futures))
done
# %%
from contextlib import contextmanager


@contextmanager
def timer(label):
    start = time.perf_counter()
    yield
    print(label, "done")
# %%
with timer("work"):
    sum(range(1000))
# %%
event = threading.Event()
event.is_set()
# %%
event.set()
# %%
event.is_set()
# %%
import itertools

cycle = itertools.cycle("abc")
[next(cycle) for _ in range(4)]
# %%
next(cycle)
# %%
from enum import Enum, auto


class State(Enum):
    IDLE = auto()
    BUSY = auto()


state = State.IDLE
# %%
state = State.BUSY if state is State.IDLE else State.IDLE
state
# %%
state is State.BUSY, State["IDLE"], list(State)
