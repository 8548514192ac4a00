"""Writes down while modules are loaded ahead which module imported which, and what the code of each did beside that.

Python tells nobody of the import of a module that is there already. So the functions that all imports pass through are
replaced meanwhile. Compiled modules pass them by for what is there already; what they have taken from others tells.
Some put modules among the others by themselves, as Cython does with what its modules share: those come with whoever made them.
"""

import builtins
import itertools
import sys
import threading
from importlib import _bootstrap
from importlib.machinery import ExtensionFileLoader
from types import ModuleType

from svc_runtime.package_use import package_use

# Warnings are attributed to whoever imports; Python passes over the frames of files that are called like this.
_UNSEEN_FILE = "<importlib._bootstrap of svc_runtime>"


class Record:
    """Of one module."""

    def __init__(self, needs=(), loaders=()):
        self.needs = {*needs}  # names of the modules that it imported while it was loaded
        self.loaders = loaders  # the modules whose loading led to it, outermost first
        self.deeds = []  # (when, deed)
        self.covers = None  # what stood under its name in its package before
        self.asked = set()  # packages that it looked for


class Recorder(threading.local):
    def __init__(self, ledger, is_known, is_taken):
        self._ledger = ledger
        self._is_known = is_known  # whether a module was loaded, and written down, before
        self._is_taken = is_taken  # and is there now because it was imported
        self._stack = []
        self.records = {}
        self._asked_by_nobody = set()
        self._when = 0

    def __enter__(self):
        self._originals = builtins.__import__, _bootstrap._gcd_import, _bootstrap._load_unlocked
        by_statement, by_name, load = self._originals

        def import_statement(name, globals=None, locals=None, fromlist=(), level=0):
            found = by_statement(name, globals, locals, fromlist, level)
            if self._stack:
                whole = _bootstrap._resolve_name(name, _bootstrap._calc___package__(globals), level) if level else name
                self._note(whole)
                for part in fromlist or ():
                    if isinstance(part, str) and f"{whole}.{part}" in sys.modules:
                        self._note(f"{whole}.{part}")
            return found

        def import_by_name(name, package=None, level=0):
            found = by_name(name, package, level)
            if self._stack:
                self._note(found.__name__ if level else name)
            return found

        def load_unlocked(spec):
            self._note(spec.name)
            if self._is_known(spec.name):
                return load(spec)
            self._look()
            self.records[spec.name] = Record(loaders=tuple(self._stack))
            package, _, own = spec.name.rpartition(".")
            self.records[spec.name].covers = getattr(sys.modules.get(package), "__dict__", {}).get(own)
            self._stack.append(spec.name)
            last = next(reversed(sys.modules))
            try:
                module = load(spec)
                self._note_made(spec.name, last)
                if isinstance(spec.loader, ExtensionFileLoader):
                    self.records[spec.name].needs |= _sources_of(module)
                return module
            finally:
                self._look()
                self._stack.pop()

        package_use.module_loads = self._asked_by
        builtins.__import__, _bootstrap._gcd_import, _bootstrap._load_unlocked = (
            _unseen(import_statement),
            _unseen(import_by_name),
            _unseen(load_unlocked),
        )
        return self

    def __exit__(self, *_):
        package_use.module_loads = None
        builtins.__import__, _bootstrap._gcd_import, _bootstrap._load_unlocked = self._originals

    def _asked_by(self):
        """Where it is kept what the module looks for that is being loaded; what is loaded is noted itself."""
        return self.records[self._stack[-1]].asked if self._stack else self._asked_by_nobody

    def _note(self, name):
        if self._stack:
            self.records[self._stack[-1]].needs.add(name)

    def _note_made(self, maker, last):
        """`last`: the module that stood last among all others when the loading of `maker` began."""
        for name in itertools.takewhile(lambda name: name != last, reversed(sys.modules)):
            if name in self.records or self._is_taken(name):
                continue
            if not self._is_known(name):
                self.records[name] = Record(loaders=tuple(self._stack))
            self.records[maker].needs.add(name)

    def _look(self):
        """What was done until now is the deed of the innermost module that is being loaded."""
        for deed in self._ledger.news():
            if self._stack:
                self._when += 1
                self.records[self._stack[-1]].deeds.append((self._when, deed))


def _sources_of(module):
    """The modules that what stands in this one is from."""
    names = (each.__name__ if isinstance(each, ModuleType) else getattr(each, "__module__", None) for each in vars(module).values())
    return {name for name in names if isinstance(name, str) and name in sys.modules}


def _unseen(function):
    function.__code__ = function.__code__.replace(co_filename=_UNSEEN_FILE)
    return function
