# %%
from __future__ import annotations

from typing import Protocol, TypedDict


class Speaks(Protocol):
    def speak(self) -> str: ...


class Row(TypedDict):
    name: str
    size: int
# %%
class Dog:
    def speak(self) -> str:
        return "woof"


def loud(one: Speaks) -> str:
    return one.speak().upper()


loud(Dog())
# %%
row: Row = {"name": "x", "size": 2}
row
# %%
from abc import ABC, abstractmethod


class Base(ABC):
    @abstractmethod
    def run(self): ...
# %% tags=["raises-exception"]
Base()
# %%
class Child(Base):
    def run(self):
        return "ran"


Child().run()
# %%
match row:
    case {"size": size} if size > 1:
        print("big", size)
    case _:
        print("small")
# %%
(n := 10) and n + 1
