"""`IPython` for notebooks whose environment lacks it: what notebooks take from it to show things, and `get_ipython`. A part that
is missing says which package to add. Where the package is installed it is found first, and this never asked.
"""

import importlib.machinery
import sys
import types

from svc_runtime import ipython_display

ADVICE = "IPython itself is not installed here: add ipython to the dependencies of the notebook"
VERSION = (9, 0, 0)
_FUNCTIONS = {name: value for name, value in vars(ipython_display).items() if callable(value) and name[0] != "_"}
_FUNCTIONS.pop("Bundle")


def get_ipython():
    """What runs magics and commands of the shell in this cell."""
    from svc_runtime.shell import shell

    return shell


def _objects():
    from svc_runtime import ipython_objects

    return {name: value for name, value in vars(ipython_objects).items() if isinstance(value, type) and name[0] != "_"}


def _interactive_shell():
    from svc_runtime.shell import Shell

    return {"InteractiveShell": Shell, "get_ipython": get_ipython}


_CONTENTS = {
    "IPython": lambda: {"get_ipython": get_ipython, "__version__": ".".join(map(str, VERSION)), "version_info": (*VERSION, "")},
    "IPython.display": lambda: {**_FUNCTIONS, **_objects()},
    "IPython.core": dict,
    "IPython.core.display": lambda: {**_FUNCTIONS, **_objects()},
    "IPython.core.display_functions": lambda: _FUNCTIONS,
    "IPython.core.getipython": lambda: {"get_ipython": get_ipython},
    "IPython.core.interactiveshell": _interactive_shell,
    "IPython.lib": dict,
    "IPython.lib.display": _objects,
}


class _Module(types.ModuleType):
    def __getattr__(self, name):
        # The package itself is asked by others whether it has something; from its parts somebody wants it.
        kind = AttributeError if name.startswith("_") or self.__name__ == "IPython" else ImportError
        raise kind(f"cannot import name '{name}' from '{self.__name__}': {ADVICE}")


class Finder:
    """The last to be asked."""

    def find_spec(self, name, path=None, target=None):
        if name in _CONTENTS:
            return importlib.machinery.ModuleSpec(name, self, origin="svc_runtime", is_package=True)
        if name.startswith("IPython.") and isinstance(sys.modules.get("IPython"), _Module):
            raise ModuleNotFoundError(f"No module named '{name}': {ADVICE}", name=name)
        return None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        module.__dict__.update(_CONTENTS[module.__name__]())
