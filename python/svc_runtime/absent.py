"""Which other modules a cell imports that are not there: whoever installs what it failed for is offered all of them."""

import ast
import os
import sys
from importlib.machinery import PathFinder


def modules_of(source, problem):
    """In their order, without the one that it failed for. What stands in a `try` or a function may do without."""
    if not isinstance(problem, ModuleNotFoundError):
        return []
    try:
        names = [name for statement in ast.parse(source).body for name in _imported(statement)]
        failed = (problem.name or "").partition(".")[0]
        return [name for name in dict.fromkeys(names) if name != failed and _is_absent(name)]
    except Exception:  # of a source that is none, or of somebody's finder
        return []


def _imported(statement):
    if isinstance(statement, ast.Import):
        return [each.name.partition(".")[0] for each in statement.names]
    if isinstance(statement, ast.ImportFrom) and statement.level == 0:
        return [statement.module.partition(".")[0]]
    return []


def _is_absent(name):
    if name in sys.modules or name in sys.stdlib_module_names or PathFinder.find_spec(name) is not None:
        return False
    # A module that lies beside the folder that cells run in is no package.
    return not any(os.path.exists(os.path.join("..", file)) for file in (f"{name}.py", name))
