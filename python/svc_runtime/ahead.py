"""Loads modules before a cell asks for them: imports them, and uses nothing. Each import is watched.

What a package does at its import decides whether a process may still be forked afterwards; see `observe.py`.
"""

import sys
import time
from importlib.machinery import PathFinder

from svc_runtime import homes, observe
from svc_runtime.shelf import shelf

# It opens a browser.
_NEVER = {"antigravity"}


class Unfit(Exception):
    """This process must not be forked any more."""

    def __init__(self, name, why):
        super().__init__(f"{name}: {why}")
        self.name, self.why = name, why


def load(names, on_loading, to_fork):
    """Import those of `names` that exist and are not there yet, and tell of each what was seen."""
    seen = []
    with shelf.ledger as ledger:
        for name in names:
            if name in sys.modules or shelf.has(name) or name in _NEVER:
                continue
            on_loading(name)
            standing = observe.Standing() if to_fork else None
            memory, handlers, began = observe.resident_bytes(), ledger.fork_handlers, time.perf_counter()
            try:
                modules = shelf.load(name)
            except Exception:
                continue  # a package that is missing or broken is the cell's to report
            seen.append(
                {
                    "name": name,
                    "seconds": round(time.perf_counter() - began, 4),
                    "bytes": max(0, observe.resident_bytes() - memory),
                    "modules": modules,
                    "threads": sorted(standing.new_threads().values()) if standing else [],
                    "fork_handlers": ledger.fork_handlers - handlers,
                }
            )
            if standing is not None:
                why = standing.objection(warned=ledger.fork_handlers > handlers)
                if why is not None:
                    raise Unfit(name, why)
    shelf.expect(names)
    return seen


class Learner:
    """Which modules a cell loads that nobody has loaded ahead, and that the environment brings along.

    While a cell runs it is told of each at once: whoever prepares the next cell need not wait for the end of this one.
    What a module imports by itself comes with it and is not told.
    """

    def __init__(self, on_import):
        self._on_import = on_import
        self._current = None
        self._is_listening = False
        self.learned = []
        shelf.be_asked_before(self)

    def __enter__(self):
        self._is_listening = True
        self.learned = []

    def __exit__(self, *_):
        self._is_listening = False

    def find_spec(self, name, path=None, target=None):
        """Finds nothing by itself."""
        if not self._is_listening or self._is_within_import() or not _comes_from_home(PathFinder.find_spec(name, path)):
            return None
        self._current = name
        self.learned.append(name)
        if name.partition(".")[0] not in sys.stdlib_module_names:
            self._on_import(name)
        return None

    def _is_within_import(self):
        spec = getattr(sys.modules.get(self._current), "__spec__", None)
        return getattr(spec, "_initializing", False)


def _comes_from_home(spec):
    origin = getattr(spec, "origin", None)
    return isinstance(origin, str) and origin.startswith(homes.OF_MODULES)
