"""What a cell made of settings that a notebook's cells share: options of libraries, seeds, filters of warnings, the folder.

In Jupyter they hold for everything that runs later. Here a run tells which it changed and which could have mattered to it; the
cells below get them before their code runs, those of a library in the moment they have it.
"""

import base64
import hashlib
import os
import re
import sys
import warnings

from svc_runtime import warning_kinds
from svc_runtime.chance import is_asked_by_cell, named_like
from svc_runtime.code_state import CodeState
from svc_runtime.ledger import announce_filters
from svc_runtime.settings_table import PARTS, PUTS_INTO_CLASSES, put_back, put_in

# Larger than this a setting is data, which belongs into a variable.
MAX_BYTES = 256 * 1024
_NAMES_OF_SECRETS = re.compile("secret|token|passw|key|credential|auth", re.IGNORECASE)
# By these a cell sets variables with %env.
_MAGICS = ("svc_runtime.shell", "svc_runtime.line_magics", __name__)
_OF_PROCESS = ("warnings", "environment", "path", "folder", "recursion limit", "results", "arguments")
MODULES = {}
for _name, _part in PARTS.items():
    MODULES.setdefault(_part.module, []).append(_name)


class Settings:
    """Of one cell's process."""

    def __init__(self):
        self.is_on = False

    def install(self):
        """Once in the life of a process, before its first cell."""
        for name in ("filterwarnings", "simplefilter"):
            setattr(warnings, name, named_like(self._noting_filters(getattr(warnings, name)), getattr(warnings, name)))
        write = os._Environ.__setitem__

        def write_variable(environment, name, value):
            write(environment, name, value)
            if self.is_on and is_asked_by_cell(through=_MAGICS):
                self._set_by_cell[name] = value

        os._Environ.__setitem__ = write_variable

    def begin(self, given, source):
        """`given`: name -> what cells above made of it (digest, value). Before anything of the cell is read or run."""
        self._given = given
        self._puts_into_classes = PUTS_INTO_CLASSES.search(source) is not None
        self._seeded = set()
        self._set_by_cell = {}
        self._own = {}  # name -> what the library itself sets
        self._before = {}
        self._filters = []
        self._folder, self._path = os.getcwd(), list(sys.path)
        self.results = self._value("results") or "last_expr"
        self.code = CodeState()
        self._enter()
        self.is_on = True
        for module in MODULES:
            self.arrived(module)

    def _enter(self):
        for entry in reversed(self._given_filters()):
            warnings.filters.insert(0, entry)
        if "warnings" in self._given:
            announce_filters()
        for name, value in (self._value("environment") or {}).items():
            os.environ[name] = value
        sys.argv[:] = self._value("arguments") or sys.argv
        if "recursion limit" in self._given:
            sys.setrecursionlimit(self._value("recursion limit"))
        front, back = self._value("path") or ([], [])
        sys.path[:0] = [place for place in front if place not in sys.path]
        sys.path.extend(place for place in back if place not in sys.path)
        folder = os.path.join(self._folder, self._value("folder") or "")
        if "folder" in self._given and os.path.isdir(folder):
            os.chdir(folder)
        self._entered = _folder(), list(sys.path), sys.getrecursionlimit(), list(sys.argv)

    def enter_code(self):
        """The code of other cells is there."""
        self.code.give(self._value)

    def arrived(self, module):
        """The cell has this module now."""
        if not self.is_on:
            return
        for name in MODULES.get(module, ()):
            if name in self._own or module not in sys.modules:
                continue
            part, found = PARTS[name], sys.modules[module]
            try:
                self._own[name] = self._read(name, found)
                if name in self._given:
                    self._write(part, found, self._value(name))
                self._before[name] = self._read(name, found) if name in self._given else self._own[name]
            except Exception:
                self._own.pop(name, None)  # another version of the library: it keeps its settings to itself
                continue
            for seed in part.seeds:
                if hasattr(found, seed):
                    setattr(found, seed, named_like(self._noting_seed(name, getattr(found, seed)), getattr(found, seed)))

    def _read(self, name, module):
        part = PARTS[name]
        if part.classes is None or not (self._puts_into_classes or any(isinstance(place, tuple) for place in self._value(name) or ())):
            return part.read(module)
        return {**part.read(module), **put_in(part.classes(module))}

    @staticmethod
    def _write(part, module, values):
        if part.classes is not None:
            put_back(part.classes(module), {place: value for place, value in values.items() if isinstance(place, tuple)})
            values = {name: value for name, value in values.items() if not isinstance(name, tuple)}
        part.write(module, values)

    def end(self):
        """Which settings could have mattered to the cell, and what it made of them."""
        self.is_on = False
        used, made = {}, {}
        for name in self._own:
            part, before = PARTS[name], self._before.get(name)
            try:
                now = self._read(name, sys.modules[part.module])
            except Exception:
                continue
            is_changed = not _same(now, before)
            if part.seeds:
                if is_changed and name not in self._seeded:
                    used[name] = self._digest(name)
                if name in self._seeded or (is_changed and name in self._given):
                    _put(made, name, now)
                continue
            # Who brought in a module of Python's own, nobody knows.
            if name in self._given or part.module not in sys.stdlib_module_names:
                used[name] = self._digest(name)
            if is_changed:
                _put(made, name, _difference(now, self._own[name]))
        self._end_process(used, made)
        return {"used": dict(sorted(used.items())), "made": dict(sorted(made.items()))}

    def end_code(self, told, slices):
        """Adds what classes and functions keep, when all that travels from here is known."""
        for name, value, may_be_given in self.code.end(slices):
            if value is None or may_be_given or name in self._given:
                told["used"][name] = self._digest(name)
            if value is not None:
                _put(told["made"], name, value)

    @staticmethod
    def drew_unseeded(told):
        """Whether the cell took random numbers to which nobody had given a seed."""
        return any(digest is None and name in PARTS and PARTS[name].seeds for name, digest in told["used"].items())

    def _end_process(self, used, made):
        folder, path, limit, arguments = self._entered
        used.update({name: self._digest(name) for name in _OF_PROCESS if name in self._given})
        filters = [entry for entry in self._filters if entry in warnings.filters]
        if filters:
            every = [*filters, *(entry for entry in self._given_filters() if entry not in filters)]
            _put(made, "warnings", every, warning_kinds.written)
        if sys.getrecursionlimit() != limit:
            _put(made, "recursion limit", sys.getrecursionlimit())
        if sys.argv != arguments:
            _put(made, "arguments", list(sys.argv))
        if (results := _shown_results()) not in (None, self.results):
            _put(made, "results", results)
        if list(sys.path) != path:
            _put(made, "path", _added(self._path, sys.path))
        if _folder() != folder:
            _put(made, "folder", os.path.relpath(_folder(), self._folder))
        # What may be a secret is written down nowhere.
        variables = {name: value for name, value in self._set_by_cell.items() if not _NAMES_OF_SECRETS.search(name)}
        if variables:
            _put(made, "environment", {**(self._value("environment") or {}), **variables})

    def _value(self, name):
        given = self._given.get(name)
        return None if given is None else _unpacked(given["value"])

    def _given_filters(self):
        return warning_kinds.read(self._value("warnings") or [])

    def _digest(self, name):
        given = self._given.get(name)
        return None if given is None else given["digest"]

    def _noting_filters(self, original):
        def note(*arguments, **options):
            before = list(warnings.filters)
            result = original(*arguments, **options)
            if self.is_on and sys._getframe(1).f_globals.get("__name__") == "__main__":
                fresh = [entry for entry in warnings.filters if entry not in before] or warnings.filters[:1]
                self._filters = [*fresh, *(entry for entry in self._filters if entry not in fresh)]
            return result

        return note

    def _noting_seed(self, name, original):
        def seed(*arguments, **options):
            result = original(*arguments, **options)
            if self.is_on and any(value is not None for value in (*arguments, *options.values())):
                self._seeded.add(name)
            return result

        return seed


def _shown_results():
    """Which results the cell wants to see from now on, in IPython's words; None when it said nothing."""
    shell, ipython = sys.modules.get("svc_runtime.shell"), sys.modules.get("IPython.core.interactiveshell")
    found = [shell.shell.ast_node_interactivity] if shell else []
    if ipython:
        found.append(vars(ipython.InteractiveShell).get("ast_node_interactivity"))
    return next((one for one in found if isinstance(one, str)), None)


def _folder():
    try:
        return os.getcwd()
    except OSError:
        return os.sep  # it is gone


def _same(one, other):
    try:
        return bool(one == other)
    except Exception:
        return False


def _difference(now, own):
    if not isinstance(now, dict):
        return now
    return {name: value for name, value in now.items() if name not in own or not _same(value, own[name])}


def _added(before, after):
    """Places that were put in front of those that were there, and behind."""
    known = [at for at, place in enumerate(after) if place in before]
    first = known[0] if known else len(after)
    fresh = [(at, place) for at, place in enumerate(after) if place not in before]
    return [place for at, place in fresh if at < first], [place for at, place in fresh if at >= first]


def _put(made, name, value, written=lambda value: value):
    try:
        packed = _packed(written(value))
    except Exception:
        return  # what cannot be written down stays with this cell
    if len(packed) <= MAX_BYTES:
        made[name] = {"digest": hashlib.sha256(packed).hexdigest(), "value": base64.b64encode(packed).decode()}


def _packed(value):
    try:
        import cloudpickle as pickler
    except ImportError:
        import pickle as pickler
    return pickler.dumps(value, protocol=5)


def _unpacked(text):
    import pickle

    return pickle.loads(base64.b64decode(text))


settings = Settings()
