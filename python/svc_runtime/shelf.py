"""Modules that were loaded ahead lie on the shelf: no cell sees them before it imports them.

`sys.modules` holds what the cell itself has imported, as it would if nothing had been loaded ahead; what a library finds there
may decide what it does. Modules that were loaded by one import lie together, as a parcel. An import takes the whole parcel,
with the parcels that it needed, and what its import had done beside that (see `ledger.py`) is done again. So a cell may
see more than it imported, never less than it would have. Nothing is loaded twice. The standard library stays in sight.
"""

import copy
import importlib.machinery
import itertools
import random
import sys
from importlib.machinery import PathFinder

from svc_runtime.ledger import Ledger

_NOT_SHELVED = {*sys.stdlib_module_names, "__main__", "svc_runtime", "sitecustomize", "usercustomize"}


class Parcel:
    def __init__(self, number):
        self.number = number
        self.modules = {}
        self.needs = set()  # parcels that had to be taken for it
        self.deeds = []
        self.attributes = []  # (module of another parcel, name there, module): set by the import of a submodule
        self.is_taken = False


class Shelf:
    def __init__(self):
        self.ledger = Ledger()
        self._parcels = []
        self._parcel_of = {}
        self._visible = set()  # what every process has from its start
        self._path = []
        self._packing = None  # the parcel that is being made

    def look(self, name):
        """The module, wherever it lies; None when nobody has loaded it."""
        parcel = self._parcel_of.get(name)
        return sys.modules.get(name) or (parcel and parcel.modules.get(name))

    def has(self, name):
        return name in self._parcel_of

    def install(self):
        self._visible = {*sys.modules}
        self._path = list(sys.path)
        sys.meta_path.insert(0, self)

    def be_asked_before(self, finder):
        sys.meta_path.insert(sys.meta_path.index(self) + 1, finder)

    def begin_parcel(self):
        self._packing = Parcel(len(self._parcels))

    def end_parcel(self, deeds):
        """Put what was loaded since `begin_parcel` together, and everything out of sight."""
        parcel, self._packing = self._packing, None
        parcel.deeds = deeds
        self._parcels.append(parcel)
        self._fill(parcel)
        self.put()

    def _fill(self, parcel):
        for name in [name for name in sys.modules if name not in self._parcel_of and self._belongs_here(name)]:
            parcel.modules[name] = sys.modules[name]
            self._parcel_of[name] = parcel
        for name, module in parcel.modules.items():
            package, _, last = name.rpartition(".")
            holder = self._parcel_of.get(package)
            if holder is not None and holder is not parcel:
                owner = holder.modules[package]
                if getattr(owner, "__dict__", {}).get(last) is module:
                    parcel.attributes.append((owner, last, module))

    def _belongs_here(self, name):
        return name not in self._visible and name.partition(".")[0] not in _NOT_SHELVED

    def put(self):
        """Out of sight, all of it. What was loaded without an order of its own joins the last parcel."""
        if self._parcels:
            self._fill(self._parcels[-1])
        for parcel in self._parcels:
            parcel.is_taken = False
            for name in parcel.modules:
                sys.modules.pop(name, None)
            for owner, last, module in parcel.attributes:
                if owner.__dict__.get(last) is module:
                    delattr(owner, last)

    def take_all(self):
        """In sight, for whoever prepares this process: nothing is done again."""
        for parcel in self._parcels:
            self._take(parcel)

    def touch(self):
        """A forked process copies the memory of each module when it first takes it: better before somebody waits."""
        for parcel in self._parcels:
            sys.modules.update(parcel.modules)
            for name in parcel.modules:
                sys.modules.pop(name, None)

    def take(self, name):
        """What an import of `name` would have left, and its deeds in the order in which they were done."""
        found, pending = set(), [self._parcel_of[name]]
        while pending:
            parcel = pending.pop()
            if parcel not in found and not parcel.is_taken:
                found.add(parcel)
                pending += parcel.needs
        for parcel in sorted(found, key=lambda parcel: parcel.number):
            self._take(parcel)
            if self._packing is None:
                for deed in parcel.deeds:
                    deed.repeat()
        if self._packing is not None:
            self._packing.needs |= {self._parcel_of[name], *found}

    def _take(self, parcel):
        sys.modules.update(parcel.modules)
        for owner, last, module in parcel.attributes:
            setattr(owner, last, module)
        parcel.is_taken = True

    def find_spec(self, name, path=None, target=None):
        parcel = self._parcel_of.get(name)
        if parcel is None or parcel.is_taken or ("." not in name and self._is_hidden(name)):
            return None
        module = parcel.modules[name]
        original = getattr(module, "__spec__", None)
        spec = copy.copy(original) if original is not None else importlib.machinery.ModuleSpec(name, None)
        spec.loader = _FromShelf(self, name, module)
        return spec

    def _is_hidden(self, name):
        """A file of the cell's own folder goes before a package of the same name."""
        own = list(itertools.takewhile(lambda place: place not in self._path, sys.path))
        if not own or PathFinder.find_spec(name, own) is None:
            return False
        for known in [known for known in self._parcel_of if known.partition(".")[0] == name]:
            self._parcel_of.pop(known).modules.pop(known, None)
        return True

    def be_random(self):
        """A forked process continues its parent's random numbers: every cell would draw the same ones."""
        random.seed()
        numbers = self.look("numpy.random")
        if numbers is not None:
            numbers.seed()
        for known in self.ledger.unseeded:
            instance = known()
            if instance is not None:
                instance.seed()


class _FromShelf:
    def __init__(self, shelf, name, module):
        self._shelf, self._name, self._module = shelf, name, module
        self._spec = getattr(module, "__spec__", None)

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        try:
            module.__spec__ = self._spec  # the import system has set the one that led here
        except AttributeError:
            pass
        self._shelf.take(self._name)

    def __getattr__(self, name):
        return getattr(self._spec.loader, name)


shelf = Shelf()
