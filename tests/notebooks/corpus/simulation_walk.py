# %%
import random

random.seed(1)


class Walker:
    def __init__(self):
        self.place = 0
        self.path = [0]

    def step(self):
        self.place += random.choice([-1, 1])
        self.path.append(self.place)
# %%
walker = Walker()
# %%
for _ in range(10):
    walker.step()
# %%
walker.path
# %%
for _ in range(5):
    walker.step()
len(walker.path), walker.place
# %%
print(random.random())
