"""Where an imported notebook will show something else here than in Jupyter, told before anything runs: cells do not share one
process, so some things that a running kernel remembers are not there.
"""

import ast

from svc_engine.cell_trees import cell_tree
from svc_engine.code_changes import FUNCTIONS
from svc_engine.walking import nodes_within

_ALL_NAMES = {"globals", "locals", "dir", "vars"}
# Parts of modules that cells below are given as they were left: see `svc_runtime/settings_table.py`.
_CARRIED = {"argv", "options", "path", "templates", "Colormap", "DataFrame", "Index", "Series"}


class Foreteller:
    """Looks at the cells of a notebook in their order. Cells are told by their number, from 1."""

    def __init__(self):
        self._makers = {}  # name -> the cell that made it last
        self._functions = {}  # name -> what it reads from around it, and from which cell
        self._modules = set()

    def foretell(self, source, number, fails):
        """(line, words) of what will differ."""
        nodes = cell_tree(source).run_here
        self._modules |= {
            alias.asname or alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names
        }
        found = [*self._about(nodes, fails and _stored(nodes)), *self._made_here(nodes)]
        self._note(nodes, number)
        return list(dict.fromkeys(found))

    def _about(self, nodes, lost):
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                for name, maker, other in self._made_anew(node.id):
                    yield node.lineno, f"{node.id} uses the {name} of cell {maker} here, where Jupyter uses that of cell {other}"
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ALL_NAMES and not node.args:
                yield node.lineno, f"{node.func.id}() knows the names of this cell and those that it reads, not all of the notebook"
            elif self._sets_alone(node):
                yield node.lineno, f"{ast.unparse(node)} is set in this cell alone: others import the module anew"
            elif isinstance(node, ast.Call) and _called(node) == "clear_output" and any(_called(one) == "print" for one in nodes):
                yield node.lineno, "clear_output takes back what was shown, not what was printed: that stays on the console"
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("info", "memory_usage"):
                yield node.lineno, "the memory that a table takes may be told with a few bytes more or less"
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)) and self._are_of_cells_above(node, nodes):
                yield node.lineno, f"{ast.unparse(node)} is asked of values that were stored: two names of one object are two here"
            elif _imports(node, "tqdm.notebook"):
                yield node.lineno, "bars of tqdm.notebook are lines of the console here, drawn while the cell runs, where Jupyter shows widgets"
            elif isinstance(node, ast.Attribute) and node.attr in ("cache_info", "cache_clear"):
                yield node.lineno, f"{ast.unparse(node.value)} remembers nothing from cell to cell"
        if lost:
            yield 1, f"This cell fails; {', '.join(sorted(lost))} would outlive that in Jupyter, and does not here"

    def _sets_alone(self, node):
        is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _root(node) in self._modules
        return is_set and not _CARRIED & set(ast.unparse(node).split(".")[1:])

    def _are_of_cells_above(self, comparison, nodes):
        compared = [comparison.left, *comparison.comparators]
        own = _stored(nodes)
        return all(isinstance(one, ast.Name) and one.id in self._makers and one.id not in own for one in compared)

    def _made_here(self, nodes):
        """`x = 10` above a call of a function of another cell that reads the `x` of its own place."""
        made = {}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                made.setdefault(node.id, node.lineno)
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in made:
                for name, maker in self._functions.get(node.id, {}).items():
                    if made.get(name, node.lineno) < node.lineno:
                        yield node.lineno, f"{node.id} uses the {name} of cell {maker} here, where Jupyter uses that of this cell"

    def _made_anew(self, function):
        for name, maker in self._functions.get(function, {}).items():
            if self._makers.get(name, maker) != maker:
                yield name, maker, self._makers[name]

    def _note(self, nodes, number):
        stored = _stored(nodes)
        for name in stored:
            self._makers[name] = number
            self._functions.pop(name, None)
        for node in nodes:
            if isinstance(node, FUNCTIONS):
                within = list(nodes_within(node))
                own = {one.arg for one in within if isinstance(one, ast.arg)}
                read = {one.id for one in within if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)} - own
                self._functions[node.name] = {name: self._makers[name] for name in read if name in self._makers and name != node.name}


def _stored(nodes):
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names | {node.name for node in nodes if isinstance(node, (*FUNCTIONS, ast.ClassDef))}


def _called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", None)) if isinstance(node, ast.Call) else None


def _imports(node, module):
    if isinstance(node, ast.ImportFrom):
        return node.module == module and node.level == 0
    return isinstance(node, ast.Import) and any(alias.name == module for alias in node.names)


def _root(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", None)

