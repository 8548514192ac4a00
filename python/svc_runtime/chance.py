"""Whether a cell asked for the time, for chance or for variables of the environment.

No audit event tells of these. The functions that code calls for them are replaced by ones that take note: of the clock and
the variables only when the cell's own code asks, since libraries do for reasons of their own.
"""

import os
import random
import re
import sys
import time

_CLOCKS = ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "process_time", "localtime", "gmtime", "ctime")
# Methods of types that cannot be replaced.
_TELLS_TIME = re.compile(r"\.\s*(?:now|today|utcnow)\s*\(")
_SEEDS = re.compile(r"\bseed\s*\(|\bmanual_seed\b|\bRandomState\s*\(\s*\w")
# Numbers of numpy's own that everybody shares: asking it for their state would load what the cell has not asked for.
_DRAWS = re.compile(
    r"\b(?:np|numpy)\.random\.(?!default_rng|Generator|SeedSequence|get_state)\w+\s*\("
    r"|\bfrom\s+numpy\.random\s+import|\.sample\s*\((?![^)]*random_state)"
)
_IMPORTING = re.compile(r"importlib\._bootstrap|[/\\]importlib[/\\]metadata")
# By these names functions are given their seed. `numpy.random.RandomState` draws one for itself even then, and drops it.
_SEED_NAMES = ("seed", "random_state", "state")
_SEEDED_STATE = re.compile(r"\bRandomState\s*\(\s*[^)\s]")
_UNSEEDED = re.compile(r"\b(?:RandomState|default_rng|SeedSequence|Random|Generator)\s*\(\s*\)")
_BETWEEN = {"os", "_collections_abc", "collections.abc", __name__}


class _Noted:
    clock = False
    entropy = False
    is_seeded = False
    variables = set()


def install():
    for name in _CLOCKS:
        setattr(time, name, _noting_clock(getattr(time, name)))
    os.urandom = random._urandom = _noting_entropy(os.urandom)
    read = os._Environ.__getitem__

    def read_variable(environment, name):
        if is_asked_by_cell():
            _Noted.variables.add(name)
        return read(environment, name)

    os._Environ.__getitem__ = read_variable


def begin(source, given=()):
    """`given`: random numbers that go on from a seed which a cell above gave them."""
    _Noted.clock = _TELLS_TIME.search(source) is not None
    _Noted.variables = set()
    is_seeded = _SEEDS.search(source) is not None
    _Noted.is_seeded = _SEEDED_STATE.search(source) is not None and _UNSEEDED.search(source) is None
    _Noted.entropy = not is_seeded and "numpy.random" not in given and _DRAWS.search(source) is not None
    _Noted.state = None if is_seeded or "random" in given else random.getstate()


def end():
    drew = _Noted.state is not None and _Noted.state != random.getstate()
    variables = sorted(name for name in _Noted.variables if isinstance(name, str))
    return {"clock": _Noted.clock, "entropy": _Noted.entropy or drew, "variables": variables}


def _noting_clock(original):
    def clock(*arguments):
        if not _Noted.clock and is_asked_by_cell():
            _Noted.clock = True
        return original(*arguments)

    return named_like(clock, original)


def _noting_entropy(original):
    def urandom(size):
        if not _Noted.entropy and not is_within_import() and not _is_given_a_seed():
            _Noted.entropy = True
        return original(size)

    return named_like(urandom, original)


def named_like(function, original):
    """By these a function is stored as what it stands for."""
    function.__module__, function.__name__, function.__qualname__ = original.__module__, original.__name__, original.__qualname__
    function.__doc__ = original.__doc__
    return function


def is_within_import():
    """Packages read and seed what they may need one day, and ask which others there are; what of it is used shows later."""
    frame = sys._getframe(2)
    while frame is not None and not ("importlib" in (file := frame.f_code.co_filename) and _IMPORTING.search(file)):
        frame = frame.f_back
    return frame is not None


def _is_given_a_seed():
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in ("random", "secrets"):
        frame = frame.f_back
    if frame is None:
        return False
    if frame.f_code.co_name == "<module>":
        return _Noted.is_seeded and frame.f_globals.get("__name__") == "__main__"
    parameters = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
    return any(hasattr(frame.f_locals.get(name), "__index__") for name in _SEED_NAMES if name in parameters)


def is_asked_by_cell(through=()):
    """`through`: modules that may stand between, beside those that always do."""
    frame = sys._getframe(2)
    while frame is not None and (module := frame.f_globals.get("__name__")) and (module in _BETWEEN or module in through):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "__main__"
