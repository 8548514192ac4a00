"""What a walk over a cell finds out about names, and the four things that can happen to a name.

A walk follows the order of execution as far as it is visible in the source, so `defines` also answers "is it bound
by now?". Underscore names and builtins are ordinary here; `analysis.py` sorts them out at the end.
"""


class Names:
    __slots__ = (
        "defines",
        "discarded",
        "hidden",
        "imports_star",
        "module",
        "modules",
        "mutations",
        "postponed",
        "pure_defines",
        "read_first",
        "references",
    )

    def __init__(self, postponed=False, module=None):
        self.defines = set()
        self.pure_defines = set()  # bound by something that does not look at the old value
        self.modules = set()  # bound by importing a module, and by nothing since
        self.mutations = set()  # changed in place
        self.references = set()
        self.discarded = set()  # read for `_ = …` alone, or by name in SQL: needed where there is one, and not counted among the references
        self.read_first = set()  # read before this cell bound them
        self.imports_star = False
        self.hidden = frozenset()  # parameters and targets of the lambdas and comprehensions around
        self.postponed = postponed  # `from __future__ import annotations`: annotations are never evaluated
        self.module = module  # where a class body looks up what it has not bound itself; None for the module


def read(names, name):
    if name in names.hidden:
        return
    names.references.add(name)
    if name not in names.defines:
        names.read_first.add(name)


def need(names, name):
    """It is read if a cell makes it; nobody misses it otherwise."""
    if name not in names.hidden and name not in names.defines:
        names.discarded.add(name)


def bind(names, name):
    if name in names.hidden:
        return
    names.defines.add(name)
    names.pure_defines.add(name)
    names.modules.discard(name)


def bind_module(names, name):
    bind(names, name)
    if name in names.defines:
        names.modules.add(name)


def rebind(names, name):
    """`name += …`: a binding that needs the value from before."""
    if name not in names.defines:
        read(names, name)
    names.defines.add(name)


def mutate(names, name):
    """`name[…] = …`: the object behind the name changes, so later cells have to read it from here."""
    if name in names.hidden:
        return
    read(names, name)
    names.defines.add(name)
    names.mutations.add(name)


def in_sequence(parts):
    """The names of several walks, one after the other, as if they had been one."""
    whole = Names()
    for part in parts:
        whole.read_first |= part.read_first - whole.defines
        whole.discarded |= part.discarded - whole.defines
        whole.defines |= part.defines
        whole.pure_defines |= part.pure_defines
        whole.modules = whole.modules - part.pure_defines | part.modules
        whole.mutations |= part.mutations
        whole.references |= part.references
    return whole
