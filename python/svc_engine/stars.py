"""`from sympy import *` in one cell gives names to all cells of a Jupyter notebook. Which ones only the package knows; so each cell
below imports those that it uses and that no cell makes, by name.
"""

import ast
import builtins
import importlib
import sys

from svc_engine.cell_trees import cell_names, cell_tree

MARK = "# svc import: named by a * above"
# Names of Python's own that these give to something else: `sum` of a matrix is a number then, and no row.
_OF_NUMPY = {"abs", "all", "any", "bool", "divmod", "max", "min", "pow", "round", "sum"}
_OF_PYLAB = {"all", "any", "divmod", "sum"}
# Every cell has these, here as in Jupyter.
_GIVEN = {"display", "get_ipython"}
_HIDING = {"numpy": _OF_NUMPY, "jax.numpy": _OF_NUMPY, "pylab": _OF_PYLAB, "matplotlib.pylab": _OF_PYLAB}


def name_imports(cells, notes):
    """`cells`: those of Python, as (place, cell), in their order."""
    if not any(_starred(cell["source"]) for _, cell in cells):
        return
    read = [(place, cell, cell_names(cell["source"])) for place, cell in cells]
    made = {name for _, _, names in read for name in names["defines"]}
    modules = []
    for place, cell, names in read:
        own = _starred(cell["source"])
        missing = [name for name in names["references"] if name not in made and name not in _GIVEN]
        hidden = {} if own else _hidden(cell["source"], made, modules)
        found = {} if own else _homes(missing, modules)
        for module in hidden:
            found.setdefault(module, []).extend(hidden[module])
        if found:
            lines = [f"from {module} import {', '.join(sorted(found[module]))}" for module in found]
            notes.findings.extend({"cell": place, "line": 1, "kind": "translated", "text": line} for line in lines)
            cell["source"] = _with_lines(cell["source"], lines)
        modules.extend(module for module in own if module not in modules)


def _starred(source):
    return [
        node.module
        for node in cell_tree(source).body
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and node.names[0].name == "*"
    ]


def _homes(names, modules):
    """Module -> names: the last that has it. What a package has nobody can tell here: one is trusted to, of several none."""
    known = {module: _public(module) for module in modules if _is_of_python(module)}
    packages = [module for module in modules if module not in known]
    found = {}
    for name in names:
        home = next((module for module in reversed(modules) if module not in known or name in known[module]), None)
        if home in known or packages == [home]:
            found.setdefault(home, []).append(name)
    return found


def _hidden(source, made, modules):
    """Module -> names of Python's own that it has given another meaning, and that the cell uses."""
    hiding = {module: _public(module) if _is_of_python(module) else _HIDING.get(module, ()) for module in modules}
    found = {}
    for name in dict.fromkeys(node.id for node in cell_tree(source).nodes if isinstance(node, ast.Name)):
        home = next((module for module in reversed(modules) if name in hiding[module]), None)
        if home is not None and hasattr(builtins, name) and name not in made:
            found.setdefault(home, []).append(name)
    return found


def _is_of_python(module):
    return module.partition(".")[0] in sys.stdlib_module_names


def _public(module):
    try:
        found = importlib.import_module(module)
    except Exception:
        return ()
    return getattr(found, "__all__", None) or [name for name in dir(found) if not name.startswith("_")]


def _with_lines(source, lines):
    """Below the annotations and the magic of the whole cell, above all else."""
    kept = source.split("\n")
    at = next((at for at, line in enumerate(kept) if line.strip() and not line.lstrip().startswith("#")), 0)
    at += kept[at].startswith("%%")
    while kept[at : at + 1] and kept[at].startswith("from __future__"):
        at += 1
    return "\n".join([*kept[:at], *(f"{line}  {MARK}" for line in lines), *kept[at:]])
