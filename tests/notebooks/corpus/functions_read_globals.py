# %%
cart = []
prices = {"pen": 1.5, "book": 12.0}
total_calls = 0
# %%
def show_cart():
    for item in cart:
        print(item, prices[item])
    print("total", sum(prices[i] for i in cart))
# %%
def add(item):
    cart.append(item)
    return len(cart)
# %%
add("pen")
# %%
cart.append("book")
show_cart()
# %%
prices["pen"] = 2.0
show_cart()
# %%
prices.update(cup=3.0)
add("cup")
# %%
show_cart()
# %%
import pandas as pd

df = pd.DataFrame({"x": [1, 2, 3]})


def summary():
    return list(df.columns)
# %%
df["y"] = df["x"] * 2
# %%
summary()
# %%
df["z"] = 0
summary()
# %%
class Log:
    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append(text)


log = Log()


def report():
    log.write("reported")
    return len(log.lines)
# %%
log.write("a")
# %%
report()
# %%
report(), log.lines
