"""Cells of other notebooks change in place what a cell above them made: `words.append('x')`, `model.fit(X, y)`, `walker.step()`. Here a
cell reads such a name and hands nothing on, unless it says so. So it is made to say so: a line `words = words` at its beginning.

What a call does is not known here. It counts as a change when its value is thrown away and its name does not sound like showing
or saving; when its name is that of a known change; and when it is a method of something that keeps a state of its own: an
object of a class of the notebook, a generator of random numbers.
"""

import ast
import re

from svc_engine.magics import plain
from svc_engine.mutation import root_name

MARK = "# svc import: changed here, and handed on"

_CHANGES = set(
    "append extend insert pop remove sort reverse clear update setdefault add discard popitem appendleft popleft extendleft rotate "
    "put put_nowait get_nowait subtract fit fit_transform fit_predict partial_fit add_node add_nodes_from add_edge add_edges_from "
    "remove_node remove_edge add_trace add_traces update_layout update_traces add_column add_row".split()
)
_ONLY_LOOKS = re.compile(r"^(to_|show|save|plot|hist|info$|describe$|head$|tail$|close$|flush$|print|display|summary|dump|join$|start$)")
_KEEP_A_STATE = {"default_rng", "RandomState", "Random", "Generator"}
_PARSE = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_BODIES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Carrier:
    """Looks at the cells of a notebook in their order."""

    def __init__(self):
        self._data = set()  # names that cells above gave to values
        self._stateful = set()
        self._classes = set()

    def hand_on(self, source):
        """The source, with a line for each name that it changes; and those names."""
        try:
            tree = compile(plain(source), "<cell>", "exec", flags=_PARSE, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return source, []
        nodes = list(_run_here(tree))
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del))}
        changed = self._changed(tree, nodes)
        names = [name for name in dict.fromkeys(changed) if name in self._data and name not in stored]
        self._note(nodes, stored)
        return (_with_lines(source, tree, names) if names else source), names

    def _changed(self, tree, nodes):
        last = tree.body[-1] if tree.body else None
        thrown_away = {_call_of(node) for node in nodes if isinstance(node, ast.Expr) and node is not last}
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
                yield root_name(node.args[0])
            if not isinstance(node.func, ast.Attribute):
                continue
            name, method = root_name(node.func.value), node.func.attr
            if (
                method in _CHANGES
                or (name in self._stateful and not _ONLY_LOOKS.match(method))
                or (node in thrown_away and not _ONLY_LOOKS.match(method))
            ):
                yield name

    def _note(self, nodes, stored):
        imported = {
            (alias.asname or alias.name.partition(".")[0])
            for node in nodes
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        defined = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
        self._classes |= {node.name for node in nodes if isinstance(node, ast.ClassDef)}
        self._data = (self._data | stored) - imported - defined
        for node in nodes:
            if isinstance(node, ast.Assign):
                targets = {target.id for target in node.targets if isinstance(target, ast.Name)}
                self._stateful = self._stateful | targets if self._keeps_a_state(node.value) else self._stateful - targets

    def _keeps_a_state(self, value):
        if not isinstance(value, ast.Call):
            return False
        made_by = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", None)
        return made_by in self._classes or made_by in _KEEP_A_STATE


def _run_here(node):
    """Every node of the cell but the bodies of functions and classes, which run later if ever."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _BODIES):
            yield from _run_here(child)


def _call_of(statement):
    value = statement.value
    return value.value if isinstance(value, ast.Await) else value


def _with_lines(source, tree, names):
    """At the beginning, where the value of a last expression stays the last; only imports from the future come before."""
    first = next(node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"))
    row = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))]) - 1
    lines = source.split("\n")
    row += lines[row].startswith("%%")
    return "\n".join([*lines[:row], *(f"{name} = {name}  {MARK}" for name in names), *lines[row:]])
