# %%
import time

for step in range(3):
    print("step", step)
    time.sleep(0.01)
# %%
from tqdm import tqdm

total = 0
for n in tqdm(range(10)):
    total += n
total
# %%
from tqdm.auto import trange

[n for n in trange(3, disable=True)]
# %%
for n in range(3):
    print(f"\r{n + 1} of 3", end="")
# %%
import sys

print("a warning of our own", file=sys.stderr)
# %%
import logging

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
# %%
logging.info("logged")
logging.getLogger("x").warning("careful")
