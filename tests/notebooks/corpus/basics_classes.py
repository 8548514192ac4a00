# %%
class Account:
    rate = 0.02

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount
        return self

    def __repr__(self):
        return f"Account({self.owner!r}, {self.balance})"
# %%
mine = Account("me", 10)
mine
# %%
mine.deposit(5)
# %%
mine.balance
# %%
class Savings(Account):
    def __init__(self, owner, balance=0):
        super().__init__(owner, balance)
        self.years = 0

    def year(self):
        self.balance *= 1 + self.rate
        self.years += 1
# %%
pot = Savings("you", 100)
pot.year()
pot
# %%
pot.year()
round(pot.balance, 2), pot.years
# %%
isinstance(pot, Account), Savings.__mro__[1].__name__
