"""Modules that were loaded ahead lie on the shelf: no cell sees them before it imports them.

`sys.modules` holds what the cell itself has imported, as it would if nothing had been loaded ahead; what a library finds there
may decide what it does. An import takes a module from the shelf with all that it had imported, and what its import had done
beside that (see `ledger.py`) is done again. Nothing is loaded twice. Modules of the standard library stay where they are.
"""

import copy
import importlib.machinery
import itertools
import random
import sys
from importlib.machinery import PathFinder

from svc_runtime.ledger import Ledger

_NOT_SHELVED = {*sys.stdlib_module_names, "__main__", "svc_runtime", "sitecustomize", "usercustomize"}


class Shelf:
    def __init__(self):
        self.ledger = Ledger()
        self._modules = {}
        self._visible = set()  # what every process has from its start
        self._path = []

    @property
    def names(self):
        return self._modules.keys()

    def look(self, name):
        """The module, wherever it lies; None when nobody has loaded it."""
        return sys.modules.get(name) or self._modules.get(name)

    def install(self):
        self._visible = {*sys.modules}
        self._path = list(sys.path)
        sys.meta_path.insert(0, self)

    def be_asked_before(self, finder):
        sys.meta_path.insert(sys.meta_path.index(self) + 1, finder)

    def put(self):
        """Take what was loaded out of sight. It stays an attribute of its package: code of packages relies on that."""
        for name in [name for name in sys.modules if self._belongs_here(name)]:
            self._modules[name] = sys.modules.pop(name)

    def _belongs_here(self, name):
        return name not in self._visible and name.partition(".")[0] not in _NOT_SHELVED

    def take_all(self):
        """Back in sight, for whoever prepares this process: nothing is done again."""
        sys.modules.update(self._modules)
        self._modules.clear()

    def touch(self):
        """A forked process copies the memory of each module when it first takes it: better before somebody waits."""
        modules = dict(self._modules)
        sys.modules.update(modules)
        for name in modules:
            del sys.modules[name]

    def take(self, name):
        """What an import of `name` would have left: the module, all that it imported, and their deeds in order."""
        modules, edges = self._modules, self.ledger.edges
        found, pending = {}, [name]
        while pending:
            current = pending.pop()
            if current not in found and current in modules:
                found[current] = modules[current]
                pending += edges.get(current, ())
        sys.modules.update(found)
        for current in found:  # after they are in their place: another thread may look for them
            modules.pop(current, None)
        deeds = [deed for current in found.keys() & self.ledger.deeds.keys() for deed in self.ledger.deeds[current]]
        for deed in sorted(deeds, key=lambda deed: deed.number):
            deed.repeat()

    def find_spec(self, name, path=None, target=None):
        module = self._modules.get(name)
        if module is None or ("." not in name and self._is_hidden(name)):
            return None
        original = getattr(module, "__spec__", None)
        spec = copy.copy(original) if original is not None else importlib.machinery.ModuleSpec(name, None)
        spec.loader = _FromShelf(self, name, module)
        return spec

    def _is_hidden(self, name):
        """A file of the cell's own folder goes before a package of the same name."""
        own = list(itertools.takewhile(lambda place: place not in self._path, sys.path))
        if not own or PathFinder.find_spec(name, own) is None:
            return False
        for known in [known for known in self._modules if known.partition(".")[0] == name]:
            del self._modules[known]
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
