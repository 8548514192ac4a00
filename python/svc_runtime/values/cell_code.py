"""Functions and classes that travel between cells as source. Each cell's declarations are run once in a process, as a module under
a name of its own: a class, its instances and what holds them belong together, however they arrive.
"""

import builtins
import functools
import sys
import types

from svc_runtime.errors import remember_source
from svc_runtime.lent_lines import module_file

_LATE = "# The caller brings "

sources = {}  # module name -> (source, injected values)
lent = {}  # class or function -> module name: what this very cell lends to others
by_value = []  # modules that no other process can import
_held = {}  # module name -> names of the caller that its functions hold while they run
being_read = {}  # name of an input of the caller -> what stands in its place while inputs are read
asking = set()  # names of modules that ask the cell of this process for what they lack

# What a pickle carries to find a class or a function again. It is pickled whole, and works where there is nothing of ours too.
_FINDER = """
def find_code_of_cell(module_name, source, injected, place):
    import sys, types
    try:
        from svc_runtime.values.cell_code import module_of
        found = module_of(module_name, source, injected)
    except ImportError:
        found = sys.modules.get(module_name)
        if found is None:
            found = sys.modules[module_name] = types.ModuleType(module_name)
            found.__dict__.update(injected)
            exec(source, found.__dict__)
    for name in place.split("."):
        found = getattr(found, name)
    return found
"""
_finders = {"__name__": "__main__"}
exec(_FINDER, _finders)


def is_there():
    return bool(sources or lent)


def is_of_cell(value):
    """Whether a function, a class or a module came from another cell as source."""
    return (value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)) in sources


def reduced(value):
    """What `__reduce__` would give of a class or a function of a cell; NotImplemented for all others."""
    module_name = _home_of(value)
    if module_name is None:
        return NotImplemented
    return _finders["find_code_of_cell"], (module_name, *sources[module_name], value.__qualname__)


def _home_of(value):
    try:
        if value in lent:
            return lent[value]
        found = sys.modules.get(value.__module__) if value.__module__ in sources else None
        for name in value.__qualname__.split("."):
            found = getattr(found, name, None)
        return value.__module__ if found is value else None
    except (AttributeError, TypeError):
        return None  # its metaclass has ideas of its own


class _BroughtByCaller(dict):
    """The builtins of a module whose functions need what only cells below them make: they find it where they are called."""

    def __missing__(self, name):
        found = vars(sys.modules["__main__"])
        return found[name] if name in found else being_read[name]


def _bind_at_caller(module):
    """`global total` in a function means the caller's."""
    import dis

    for name, function in list(vars(module).items()):
        if isinstance(function, types.FunctionType) and function.__module__ == module.__name__:
            bound = {step.argval for step in dis.get_instructions(function) if step.opname == "STORE_GLOBAL"}
            if bound:
                setattr(module, name, _with_globals(function, bound))


def _with_globals(function, bound):
    held = _held.setdefault(function.__module__, set())

    @functools.wraps(function)
    def called(*args, **options):
        here, there = function.__globals__, vars(sys.modules["__main__"])
        brought = bound - held  # it may have been called by itself, or by another of its cell
        here.update((name, there[name]) for name in brought if name in there)
        held.update(brought)
        try:
            return function(*args, **options)
        finally:
            held.difference_update(brought)
            there.update((name, here[name]) for name in bound if name in here)

    return called


def module_of(name, source, injected):
    if name in sources and name in sys.modules:
        return sys.modules[name]
    module = types.ModuleType(name)
    module.__dict__.update(injected)
    if source.startswith(_LATE):
        module.__dict__["__builtins__"] = _BroughtByCaller(builtins.__dict__)
        asking.add(name)
    sys.modules[name] = module  # before it runs: dataclasses look their module up
    sources[name] = (source, injected)
    file = module_file(name)
    remember_source(file, source)
    try:
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[name], sources[name]
        raise
    if name in asking:
        _bind_at_caller(module)
    by_value.append(module)
    return module
