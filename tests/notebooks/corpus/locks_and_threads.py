# %%
import threading
from concurrent.futures import ThreadPoolExecutor

lock = threading.Lock()
total = 0
# %%
def add(amount):
    global total
    with lock:
        total += amount


with ThreadPoolExecutor(4) as pool:
    list(pool.map(add, range(100)))
total
# %%
results = []
threads = [threading.Thread(target=lambda n=n: results.append(n * n)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sorted(results)
# %%
import queue

tasks = queue.Queue()
for task in "abc":
    tasks.put(task)
# %%
tasks.get(), tasks.qsize()
# %%
lock.locked()
