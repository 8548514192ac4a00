"""Whether a cell asked for the time, for chance, for variables of the environment, or whether a file is there.

No audit event tells of these. The functions that code calls for them are replaced by ones that take note: of all but chance
only when the cell's own code asks, since libraries do for reasons of their own.
"""

import os
import random
import re
import sys
import time

from svc_runtime.called_code import functions_in, names_in
from svc_runtime.values import cell_code

# clock -> with so many arguments it is given a time, and tells none
_CLOCKS = {
    **{f"{name}{unit}": 1 for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time") for unit in ("", "_ns")},
    **dict.fromkeys(("localtime", "gmtime", "ctime", "asctime"), 1),
    **dict.fromkeys(("strftime", "clock_gettime", "clock_gettime_ns"), 2),
}
# Methods of types that cannot be replaced, words that stand for a time, and what queries ask for.
_TELLS_TIME = re.compile(
    r"\.\s*(?:now|today|utcnow)\b|\buuid[16]\s*\(|\(\s*['\"](?:now|today)['\"]|\bnow\s*\(\s*\)|\bcurrent_(?:timestamp|date|time)\b", re.IGNORECASE
)
_SEEDS = re.compile(r"\bseed\s*\(|\bmanual_seed\b|\bRandomState\s*\(\s*\w")
# Numbers of numpy's own that everybody shares: asking it for their state would load what the cell has not asked for.
_DRAWS = re.compile(
    r"\b(?:np|numpy)\.random\.(?!default_rng|Generator|SeedSequence|get_state)\w+\s*\("
    r"|\bfrom\s+numpy\.random\s+import|\.sample\s*\((?![^)]*random_state)"
    r"|(?<![.\w])(?:random|gen_random_uuid|uuid)\s*\(\s*\)"  # of queries
)
# The same in functions of cells above, whose text is not at hand.
_NAMES_OF_TIME = {"now", "today", "utcnow", "uuid1", "uuid6"}
_IMPORTING = re.compile(r"importlib\._bootstrap|[/\\]importlib[/\\]metadata")
# By these names functions are given their seed. `numpy.random.RandomState` draws one for itself even then, and drops it.
_SEED_NAMES = ("seed", "random_state", "state")
_SEEDED_STATE = re.compile(r"\bRandomState\s*\(\s*[^)\s]")
_UNSEEDED = re.compile(r"\b(?:RandomState|default_rng|SeedSequence|Random|Generator)\s*\(\s*\)")
# Through these people ask whether a file is there. `os` is none of them: what makes folders looks for them first.
_LOOKERS = {"genericpath", "posixpath", "ntpath", "pathlib", "pathlib._local", "pathlib._abc", "pathlib._os", "pathlib.types"}
_BETWEEN = {"os", "_collections_abc", "collections.abc", __name__}


class _Noted:
    clock = False
    entropy = False
    is_seeded = False
    variables = set()
    own_folder = None
    looked = None  # what is told of a file that was asked for; None while nobody listens
    looked_by_library = None


def install():
    for name, given in _CLOCKS.items():
        if hasattr(time, name):
            setattr(time, name, _noting_clock(getattr(time, name), given))
    os.times = _noting_clock(os.times, 1)
    os.access = _noting_access(os.access, os.stat)
    os.lstat = _noting_place(os.lstat)
    os.stat = _noting_look(os.stat)
    os.urandom = random._urandom = _noting_entropy(os.urandom)
    if hasattr(os, "getrandom"):
        os.getrandom = _noting_entropy(os.getrandom)
    random.Random.seed = _noting_no_seed(random.Random.seed)
    read = os._Environ.__getitem__

    def read_variable(environment, name):
        if is_asked_by_cell():
            _Noted.variables.add(name)
        return read(environment, name)

    os._Environ.__getitem__ = read_variable


def begin(job, inputs, looked, looked_by_library):
    """`looked` hears of files that the cell asks for, `looked_by_library` of places that a library does."""
    source, given = job["source"], job["settings"]  # random numbers go on from a seed which a cell above gave them
    _Noted.own_folder = os.path.join(job["work_dir"], "")
    called = [names_in(function.__code__) for function in functions_in(inputs)]
    _Noted.looked, _Noted.looked_by_library = looked, looked_by_library
    _Noted.clock = _TELLS_TIME.search(source) is not None or any(not _NAMES_OF_TIME.isdisjoint(names) for names in called)
    _Noted.variables = set()
    is_seeded = _SEEDS.search(source) is not None
    _Noted.is_seeded = _SEEDED_STATE.search(source) is not None and _UNSEEDED.search(source) is None
    _Noted.entropy = not is_seeded and "numpy.random" not in given and _DRAWS.search(source) is not None
    _Noted.state = None if is_seeded or "random" in given else random.getstate()


def end(own_modules):
    """`own_modules`: files of modules that lie in the cell's folder and were imported."""
    _Noted.looked = None
    for text in map(_text_of, own_modules):
        _Noted.clock = _Noted.clock or _TELLS_TIME.search(text) is not None
        _Noted.entropy = _Noted.entropy or (_DRAWS.search(text) is not None and _SEEDS.search(text) is None)
    drew = _Noted.state is not None and _Noted.state != random.getstate()
    variables = sorted(name for name in _Noted.variables if isinstance(name, str))
    return {"clock": _Noted.clock, "entropy": _Noted.entropy or drew, "variables": variables}


def _text_of(file):
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read()
    except OSError:
        return ""


def _noting_clock(original, given):
    def clock(*arguments):
        if not _Noted.clock and len(arguments) < given and is_asked_by_cell():
            _Noted.clock = True
        return original(*arguments)

    return named_like(clock, original)


def _noting_look(original):
    def stat(path, *, dir_fd=None, follow_symlinks=True):
        tell = _Noted.looked
        if tell is None or dir_fd is not None or not isinstance(path, (str, os.PathLike)):
            return original(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        if not _is_looked_for_by_cell():
            _Noted.looked_by_library(path)
            return original(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        try:
            found = original(path, follow_symlinks=follow_symlinks)
        except FileNotFoundError:
            tell(path, None)
            raise
        tell(path, found)
        return found

    return _as_able(stat, original)


def _noting_access(original, look):
    def access(path, mode, *, dir_fd=None, **options):
        tell = _Noted.looked
        if tell is not None and dir_fd is None and isinstance(path, (str, os.PathLike)):
            if _is_looked_for_by_cell():
                try:
                    tell(path, look(path))
                except OSError:
                    tell(path, None)
            else:
                _Noted.looked_by_library(path)
        return original(path, mode, dir_fd=dir_fd, **options)

    return _as_able(access, original)


def _noting_place(original):
    """Of what follows no links: it tells where something lies, and nothing of what is in it."""

    def look(path, *, dir_fd=None):
        if _Noted.looked is not None and dir_fd is None and isinstance(path, (str, os.PathLike)):
            _Noted.looked_by_library(path)
        return original(path, dir_fd=dir_fd)

    return _as_able(look, original)


def _as_able(function, original):
    """By these `shutil` and others find out what it can do."""
    for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
        if original in able:
            able.add(function)
    return named_like(function, original)


def _is_looked_for_by_cell():
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in _LOOKERS:
        frame = frame.f_back
    return frame is not None and is_own_code(frame)


def _noting_entropy(original):
    def urandom(*arguments, **options):
        if not _Noted.entropy and not is_within_import() and not _is_given_a_seed() and not _names_something():
            _Noted.entropy = True
        return original(*arguments, **options)

    return named_like(urandom, original)


def _noting_no_seed(original):
    """`Random()` takes its seed from the system without a word."""

    def seed(self, a=None, version=2):
        if a is None and not _Noted.entropy and not is_within_import() and is_asked_by_cell(("random",)):
            _Noted.entropy = True
        return original(self, a, version)

    return named_like(seed, original)


def note_entropy():
    _Noted.entropy = True


def named_like(function, original):
    """By these a function is stored as what it stands for."""
    function.__module__, function.__name__, function.__qualname__ = original.__module__, original.__name__, original.__qualname__
    function.__doc__ = original.__doc__
    return function


def is_within_import():
    """Packages read and seed what they may need one day, and ask which others there are; what of it is used shows later."""
    frame = sys._getframe(2)
    while frame is not None and not is_importing(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None


def is_importing(file):
    """Whether code of this file looks for modules and packages."""
    return "importlib" in file and _IMPORTING.search(file) is not None


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


def _names_something():
    """Libraries make names that nobody else has, of folders, jobs and relations: no result depends on them."""
    frame, is_name = sys._getframe(2), False
    while frame is not None and (module := frame.f_globals.get("__name__")) in ("random", "secrets", "uuid"):
        is_name = is_name or module == "uuid" or frame.f_code.co_name.startswith("token_")
        frame = frame.f_back
    return is_name and (frame is None or not is_own_code(frame))


def is_asked_by_cell(through=()):
    """`through`: modules that may stand between, beside those that always do."""
    frame = sys._getframe(2)
    while frame is not None and (module := frame.f_globals.get("__name__")) and (module in _BETWEEN or module in through):
        frame = frame.f_back
    return frame is not None and is_own_code(frame)


def is_own_code(frame):
    """Of this cell, of a cell above whose functions it calls, or of a module in its folder."""
    module = frame.f_globals.get("__name__")
    if module == "__main__" or module in cell_code.sources:
        return True
    return _Noted.own_folder is not None and frame.f_code.co_filename.startswith(_Noted.own_folder)
