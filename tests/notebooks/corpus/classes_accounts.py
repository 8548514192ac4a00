# %% [markdown]
# # Object oriented programming
# %%
class Account:
    interest = 0.02
    count = 0

    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        Account.count += 1

    @property
    def balance(self):
        return self._balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self._balance += amount
        return self

    def __repr__(self):
        return f"{type(self).__name__}({self.owner!r}, {self._balance})"

    def __eq__(self, other):
        return isinstance(other, Account) and self.owner == other.owner

    def __lt__(self, other):
        return self._balance < other._balance
# %%
a = Account("Ann", 100)
b = Account("Bob")
a
# %%
b.deposit(50).deposit(25)
# %%
a.deposit(10)
print(a.balance, b.balance)
# %%
Account.count
# %%
class Savings(Account):
    def add_interest(self):
        self._balance *= 1 + self.interest

    @classmethod
    def from_text(cls, text):
        owner, amount = text.split(":")
        return cls(owner, float(amount))
# %%
s = Savings.from_text("Cyd:1000")
s.add_interest()
s
# %%
isinstance(s, Account), issubclass(Savings, Account), Savings.__mro__
# %%
accounts = [a, b, s]
sorted(accounts)
# %%
max(accounts).owner
# %%
try:
    a.deposit(-5)
except ValueError as err:
    print("Oops:", err)
# %%
import pickle

with open("accounts.pkl", "wb") as f:
    pickle.dump(accounts, f)
# %%
with open("accounts.pkl", "rb") as f:
    restored = pickle.load(f)
restored
# %%
restored[0] == a, restored[0] is a, type(restored[2]) is Savings
# %%
import copy

twin = copy.deepcopy(s)
twin.owner = "Dee"
s, twin
# %%
setattr(a, "email", "ann@example.org")
vars(a)
# %%
hasattr(a, "email"), getattr(b, "email", "none")
# %%
class Stack:
    def __init__(self):
        self._items = []

    def push(self, item):
        self._items.append(item)

    def pop(self):
        return self._items.pop()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return reversed(self._items)
# %%
st = Stack()
for i in range(5):
    st.push(i)
# %%
st.pop(), len(st)
# %%
list(st)
# %%
from abc import ABC, abstractmethod


class Shape(ABC):
    @abstractmethod
    def area(self): ...
# %%
import math


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2
# %%
shapes = [Circle(1), Square(2)]
for shape in shapes:
    print(type(shape).__name__, round(shape.area(), 2))
# %%
try:
    Shape()
except TypeError as e:
    print(type(e).__name__)
