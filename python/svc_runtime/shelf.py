"""Modules that were loaded ahead lie on the shelf: no cell sees them before it imports them.

`sys.modules` holds what the cell itself has imported, as it would if nothing had been loaded ahead; what a library finds there
may decide what it does. An import takes a module with all that its import had brought (see `recorder.py`), and what that had
done beside making modules (see `ledger.py`) is done again. Nothing is loaded twice. The standard library stays in sight.
"""

import contextlib
import copy
import importlib.machinery
import itertools
import random
import sys
from importlib.machinery import PathFinder

from svc_runtime.ledger import Ledger
from svc_runtime.package_use import package_use
from svc_runtime.recorder import Record, Recorder
from svc_runtime.settings import MODULES, settings

# What values are stored and read with, whatever the cell itself imports.
_FOR_VALUES = ("numpy", "pandas", "pyarrow.ipc", "pyarrow.pandas_compat")
_NOT_SHELVED = {*sys.stdlib_module_names, "__main__", "svc_runtime", "sitecustomize", "usercustomize"}


class Shelved:
    """A module on the shelf."""

    def __init__(self, module, needs, deeds, owner, covers, asked):
        self.module = module
        self.needs = needs  # names of modules that come with it, as far as they are on the shelf
        self.deeds = deeds  # (when, deed)
        self.owner = owner  # the package that has it as an attribute only once somebody has imported it; or None
        self.covers = covers  # what that attribute is until then: a package may take a module of another under the name of its own
        self.asked = asked  # packages that it looked for when it was loaded


class Parcel:
    """What an import takes from the shelf, made ready before the fork: a cell copies each page of memory that it touches."""

    def __init__(self, shelved):
        self.modules = {name: one.module for name, one in shelved.items()}
        self.owned = [(name, one) for name, one in shelved.items() if one.owner is not None]
        deeds = [(when, name, deed) for name, one in shelved.items() for when, deed in one.deeds]
        self.deeds = [(name, deed) for _, name, deed in sorted(deeds, key=lambda deed: deed[0])]
        self.with_settings = [name for name in MODULES if name in shelved]
        self.asked = frozenset().union(*(one.asked for one in shelved.values()))


class Shelf:
    def __init__(self):
        self.ledger = Ledger()
        self._shelved = {}  # in the order in which their loading began
        self._modules = {}  # by their names
        self._taken = set()
        self.asked = set()  # packages that modules looked for which were taken
        self._parcels = {}  # name -> what an import of it takes; for those that cells are known to import
        self._visible = set()  # what every process has from its start
        self._path = []
        self._loads = 0

    def look(self, name):
        """The module, wherever it lies; None when nobody has loaded it."""
        shelved = self._shelved.get(name)
        return sys.modules.get(name) or (shelved and shelved.module)

    def has(self, name):
        return name in self._shelved

    def install(self):
        self._visible = {*sys.modules}
        self._path = list(sys.path)
        sys.meta_path.insert(0, self)
        package_use.install()

    def be_asked_before(self, finder):
        sys.meta_path.insert(sys.meta_path.index(self) + 1, finder)

    def load(self, name):
        """Import it ahead of everybody; the number of modules that came."""
        count = len(self._shelved)
        try:
            with Recorder(self.ledger, self.has, self._taken.__contains__) as recorder:
                importlib.import_module(name)
        finally:
            self._loads += 1
            self._keep(recorder.records)
            self.put()
        return len(self._shelved) - count

    def expect(self, names):
        """Work out what imports of these will take: better here than in every cell."""
        # Names that lie side by side: to hold them takes few pages.
        self._shelved = {name[:1] + name[1:]: shelved for name, shelved in self._shelved.items()}
        self._modules = {name: shelved.module for name, shelved in self._shelved.items()}
        for_values = [name for name in _FOR_VALUES if name in self._shelved]
        expected = {part for name in (*names, *for_values) for part in _with_packages(name)}
        self._parcels = {name: self._parcel(name) for name in expected | self._parcels.keys()}

    def _keep(self, records):
        new = [name for name in sys.modules if name not in self._shelved and self._belongs_here(name)]
        # Of some nobody saw who imported them, and what they imported: they come with everything that is there.
        everything = {*new, *self._taken} if any(name not in records for name in new) else set()
        recent = package_use.take_recent()
        for name in new:
            record = records.get(name) or Record(everything)
            asked = record.asked if name in records else recent
            deeds = [((self._loads, when), deed) for when, deed in self.ledger.lasting(record.deeds)]
            needs = {part for need in (*record.needs, name) for part in _with_packages(need)}
            package, _, last = name.rpartition(".")
            comes_along = any(part in record.loaders for part in _with_packages(package))
            owner = None if comes_along else self.look(package)
            if getattr(owner, "__dict__", {}).get(last) is not sys.modules[name]:
                owner = None
            self._shelved[name] = Shelved(sys.modules[name], needs, deeds, owner, record.covers, asked)
        # With what others have made a second time while the first lay out of sight.
        self._taken.update(name for name in sys.modules if name in self._shelved)

    def _belongs_here(self, name):
        return name not in self._visible and name.partition(".")[0] not in _NOT_SHELVED

    def put(self):
        """Out of sight, all that was taken, with what was loaded meanwhile."""
        self._keep({})
        for name in self._taken:
            shelved = self._shelved[name]
            sys.modules.pop(name, None)
            last = name.rpartition(".")[2]
            if shelved.owner is not None and shelved.owner.__dict__.get(last) is shelved.module:
                if shelved.covers is None:
                    delattr(shelved.owner, last)
                else:
                    setattr(shelved.owner, last, shelved.covers)
        self._taken = set()
        self.asked = set()

    @contextlib.contextmanager
    def lent(self, *names):
        """These modules in sight for a while, for whoever prepares this process: nothing is done again."""
        for name in names:
            if name in self._shelved:
                self._take(name)
        try:
            yield
        finally:
            self.put()

    def touch(self):
        """A forked process copies the memory of each module when it first takes it: better before somebody waits."""
        sys.modules.update(self._modules)
        for name in self._modules:
            sys.modules.pop(name, None)

    def take(self, name):
        """What an import of `name` would have left."""
        parcel, new = self._take(name)
        if self.ledger.is_open:
            return
        for owner, deed in parcel.deeds:
            if owner in new:
                deed.repeat()
        for module in parcel.with_settings:
            if module in new:
                settings.arrived(module)

    def _take(self, name):
        """The parcel, and the names in it that nobody had taken."""
        parcel = self._parcels.get(name) or self._parcel(name)
        modules, new = parcel.modules, parcel.modules
        if not self._taken.isdisjoint(modules):
            new = modules.keys() - self._taken
            modules = {name: module for name, module in modules.items() if name in new}
        sys.modules.update(modules)
        for name, shelved in parcel.owned:
            if name in new:
                setattr(shelved.owner, name.rpartition(".")[2], shelved.module)
        self._taken.update(modules)
        self.asked |= parcel.asked
        return parcel, new

    def _parcel(self, name):
        found, pending = set(), [name]
        while pending:
            one = pending.pop()
            if one not in found and one in self._shelved:
                found.add(one)
                pending += self._shelved[one].needs
        return Parcel({known: shelved for known, shelved in self._shelved.items() if known in found})

    def find_spec(self, name, path=None, target=None):
        shelved = self._shelved.get(name)
        if shelved is None or name in self._taken or ("." not in name and self._is_hidden(name)):
            return None
        original = getattr(shelved.module, "__spec__", None)
        spec = copy.copy(original) if original is not None else importlib.machinery.ModuleSpec(name, None)
        spec.loader = _FromShelf(self, name, shelved.module)
        return spec

    def _is_hidden(self, name):
        """A file of the cell's own folder goes before a package of the same name."""
        own = list(itertools.takewhile(lambda place: place not in self._path, sys.path))
        if not own or PathFinder.find_spec(name, own) is None:
            return False
        for known in [known for known in self._shelved if known.partition(".")[0] == name]:
            del self._shelved[known]
        self._parcels = {}
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


def _with_packages(name):
    return [name, *(name[:place] for place, letter in enumerate(name) if letter == ".")]


shelf = Shelf()
