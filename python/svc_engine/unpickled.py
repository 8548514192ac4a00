"""What a file holds that was pickled may be of a class that a cell defines. The cell that loads it need not name the class in Jupyter,
where it lies around; here it has what it names. So it is made to name them all.
"""

import ast

from svc_engine.cell_trees import cell_tree, with_lines_above

MARK = "# svc import: what is loaded here may be of these"

_MODULES = {"pickle", "cPickle", "joblib", "dill", "cloudpickle", "shelve", "torch"}
_LOADS = {"load", "loads", "open", "Unpickler"}


def name_classes(cells, notes):
    """`cells`: those of Python, as (place, cell), in their order."""
    classes, own = [], set()
    for place, cell in cells:
        read = cell_tree(cell["source"])
        if classes and any(_loads(node, own) for node in read.nodes):
            named = {node.id for node in read.nodes if isinstance(node, ast.Name)}
            missing = [name for name in classes if name not in named]
            line = f"{', '.join(missing)}{',' * (len(missing) == 1)}"
            if missing:
                notes.findings.append({"cell": place, "line": 1, "kind": "translated", "text": line})
                cell["source"] = with_lines_above(cell["source"], read.tree, [f"{line}  {MARK}"])
        own |= _loaders(read.nodes)
        made = [node.name for node in read.body if isinstance(node, ast.ClassDef)]
        classes = [name for name in classes if name not in made] + made


def _loaders(nodes):
    """`from joblib import load`."""
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in _MODULES]
    return {alias.asname or alias.name for node in imports for alias in node.names if alias.name in _LOADS}


def _loads(node, own):
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in own
    of = getattr(node.func, "value", None)
    name = getattr(node.func, "attr", None)
    return name == "read_pickle" or (name in _LOADS and isinstance(of, ast.Name) and of.id in _MODULES)
