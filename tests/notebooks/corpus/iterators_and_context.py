# %%
from contextlib import contextmanager, redirect_stdout


@contextmanager
def marked(name):
    print("<", name)
    yield name
    print(">", name)
# %%
with marked("a") as name:
    print(name)
# %%
import io

with redirect_stdout(io.StringIO()) as caught:
    print("hidden")
caught.getvalue()
# %%
class Countdown:
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        while self.start:
            yield self.start
            self.start -= 1
# %%
down = Countdown(3)
list(down)
# %%
down.start
# %%
from collections import namedtuple

Point = namedtuple("Point", "x y")
p = Point(1, 2)
p
# %%
p._replace(x=5)
# %%
import time

began = time.time()
time.time() - began < 60
