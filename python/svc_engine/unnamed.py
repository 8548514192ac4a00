"""Some calls find what cells define without a word of it: what a file holds that was pickled may be of a class of the notebook, and
`unittest.main()` runs all tests that lie around. Here a cell has what it names. So it is made to name them.
"""

import ast
from dataclasses import dataclass
from typing import Callable

from svc_engine.cell_trees import cell_tree, with_lines_above
from svc_engine.code_changes import FUNCTIONS


@dataclass(frozen=True)
class Finder:
    """Calls that find definitions which the cell does not name."""

    modules: frozenset
    calls: frozenset
    finds: Callable
    """Whether one of these calls may find this definition."""
    mark: str
    methods: frozenset = frozenset()
    """The same, of whatever object or module."""


def _is_class(definition):
    return isinstance(definition, ast.ClassDef)


def _is_test(definition):
    bases = definition.bases if isinstance(definition, ast.ClassDef) else []
    return any("Test" in ast.unparse(base) for base in bases)


def _has_examples(definition):
    documented = (node for node in ast.walk(definition) if isinstance(node, (ast.ClassDef, *FUNCTIONS)))
    return any(">>>" in (ast.get_docstring(node) or "") for node in documented)


FINDERS = (
    Finder(
        frozenset({"pickle", "cPickle", "joblib", "dill", "cloudpickle", "shelve", "torch"}),
        frozenset({"load", "loads", "open", "Unpickler"}),
        _is_class,
        "# svc import: what is loaded here may be of these",
        frozenset({"read_pickle"}),
    ),
    Finder(frozenset({"unittest"}), frozenset({"main"}), _is_test, "# svc import: the tests that are run here"),
    Finder(frozenset({"doctest"}), frozenset({"testmod"}), _has_examples, "# svc import: the examples that are tried here"),
)


def name_them(cells, notes):
    """`cells`: those of Python, as (place, cell), in their order."""
    for finder in FINDERS:
        _name(finder, cells, notes)


def _name(finder, cells, notes):
    found, own = [], set()
    for place, cell in cells:
        read = cell_tree(cell["source"])
        own |= _imported(finder, read.nodes)
        if found and any(_calls(finder, node, own) for node in read.nodes):
            named = {node.id for node in read.nodes if isinstance(node, ast.Name)}
            missing = [name for name in found if name not in named]
            line = f"{', '.join(missing)}{',' * (len(missing) == 1)}"
            if missing:
                notes.findings.append({"cell": place, "line": 1, "kind": "translated", "text": line})
                cell["source"] = with_lines_above(cell["source"], read.tree, [f"{line}  {finder.mark}"])
        made = [node for node in read.body if isinstance(node, (ast.ClassDef, *FUNCTIONS))]
        anew = {node.name for node in made}
        found = [name for name in found if name not in anew] + [node.name for node in made if finder.finds(node)]


def _imported(finder, nodes):
    """`from joblib import load`."""
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in finder.modules]
    return {alias.asname or alias.name for node in imports for alias in node.names if alias.name in finder.calls}


def _calls(finder, node, own):
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in own
    of, name = getattr(node.func, "value", None), getattr(node.func, "attr", None)
    return name in finder.methods or (name in finder.calls and isinstance(of, ast.Name) and of.id in finder.modules)
