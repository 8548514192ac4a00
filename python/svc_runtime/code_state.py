"""What classes and functions keep: `Agent.count`, `Plugin.registry`, `step.calls`. Code travels between cells as its source, and is made
anew in each; what was put into it since is a setting that cells share. A cell tells what it left there, and the cells below find it.
"""

import contextlib
import enum
import functools
import pickle
import sys
import types

from svc_runtime.mutation import fingerprint
from svc_runtime.values import cell_code, pickles

PREFIX = "kept by "
# Larger than this it is data, which belongs into a variable.
MAX_BYTES = 256 * 1024
_NEVER = (staticmethod, classmethod, property, functools.cached_property, type, types.ModuleType)


class CodeState:
    """Of one cell's process. What a class says of itself is up to its metaclass: one that says nothing keeps what it has to itself."""

    def __init__(self):
        self._known = []  # (class or function, what cells above left in it, (value, fingerprint) of each thing that it keeps)
        self._modules = set()

    def note(self, code, given=()):
        """A class or a function as its definition made it; gives it back, as a decorator."""
        with contextlib.suppress(Exception):
            if _may_keep(code):
                before = {name: (value, fingerprint(value)) for name, value in _kept(code).items()}
                self._known.append((code, given, before))
        return code

    def give(self, given):
        """To the code of other cells that is here now, what cells above left in it. `given(name)`: the value of a setting, or None."""
        while fresh := [name for name in cell_code.sources if name in sys.modules and name not in self._modules]:
            self._modules.update(fresh)
            for module in fresh:
                for name, code in _code_of(sys.modules[module]):
                    found = given(PREFIX + name)
                    parts = pickle.loads(found["kept"]) if found is not None and found["module"] == module else {}
                    for part, value in parts.items():
                        setattr(code, part, value)
                    self.note(code, parts.keys())

    def end(self, slices):
        """(name of a setting, what it is now, whether this cell may have been given it) for all code that keeps something; None for what
        is as it came. `slices`: what of this cell travels as source."""
        for code, given, before in self._known:
            with contextlib.suppress(Exception):
                module, now = _home(code, slices), _kept(code)
                if module is None or not now:
                    continue
                changed = [part for part, value in now.items() if part not in before or _is_other(value, *before[part])]
                parts = {part: value for part, value in now.items() if part in changed or part in given}
                value = {"module": module, "kept": _packed(code.__name__, parts)} if changed else None
                yield PREFIX + code.__name__, value, code.__module__ in cell_code.sources


def _may_keep(code):
    if isinstance(code, types.FunctionType):
        return True
    return isinstance(code, type) and not issubclass(code, enum.Enum)


def _code_of(module):
    for name, value in list(vars(module).items()):
        with contextlib.suppress(Exception):
            if _may_keep(value) and value.__module__ == module.__name__ and value.__name__ == name:
                yield name, value


def _home(code, slices):
    """The module as which other cells have it; None where they do not."""
    if code.__module__ in cell_code.sources:
        return code.__module__
    return slices[code.__name__]["module_name"] if code.__name__ in slices else None


def _kept(code):
    return {name: value for name, value in vars(code).items() if not name.startswith("__") and name != "_abc_impl" and _is_data(value)}


def _is_data(value):
    return isinstance(value, types.FunctionType) or not (isinstance(value, _NEVER) or hasattr(value, "__get__"))


def _is_other(value, before, sample):
    if value is before:
        return fingerprint(value) != sample
    try:
        return type(value) is not type(before) or not bool(value == before)
    except Exception:
        return True


def _packed(name, parts):
    """Without what cannot be written down, or not be read again, which somebody is told: cells below could not begin."""
    packed = {}
    for part, value in parts.items():
        try:
            written = pickles.dump_whole(value, "cloudpickle")[1]
            if len(written) > MAX_BYTES:
                raise ValueError(f"it is larger than {MAX_BYTES >> 10} KiB")
            pickle.loads(written)
            packed[part] = value
        except Exception as problem:
            print(f"{name}.{part} stays in this cell ({problem}): other cells have {name} without it.", file=sys.stderr)
    return pickles.dump_whole(packed, "cloudpickle")[1]
