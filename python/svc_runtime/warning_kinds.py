"""Filters of warnings as they travel from cell to cell. A filter may name a kind of warning of some library: it must not bring that
library into a cell that does not ask for it, and must hold in the moment it is there.
"""

import functools
import sys


class _ByName(type):
    """Stands for every class of its name, wherever that comes from."""

    def __subclasscheck__(cls, other):
        return any((kind.__module__, kind.__qualname__) == (cls.__module__, cls.__qualname__) for kind in other.__mro__)


def written(entries):
    return [(action, message, _name(kind), module, line) for action, message, kind, module, line in entries]


def read(entries):
    return [(action, message, _kind(*name), module, line) for action, message, name, module, line in entries]


def _name(kind):
    if "." in kind.__qualname__ or kind.__module__ == "__main__":
        raise ValueError("a kind of warning that only its cell has")
    return kind.__module__, kind.__qualname__


def _kind(module, name):
    found = getattr(sys.modules.get(module), name, None)
    return found if isinstance(found, type) else _stand_in(module, name)


@functools.cache
def _stand_in(module, name):
    return _ByName(name, (Warning,), {"__module__": module, "__qualname__": name})
