"""Cells of other notebooks change in place what a cell above them made: `words.append('x')`, `model.fit(X, y)`, `walker.step()`. Here a
cell reads such a name and hands nothing on, unless it says so. So it is made to say so: a line `words = words` at its beginning.

What a call does is not known here. It counts as a change when its value is thrown away and its name does not sound like showing
or saving; when its name is that of a known change; when it is a function of the notebook that changes what it is given; when it
uses up an iterator or is given a generator of random numbers; and when it asks something that keeps a state of its own: an object
of a class of the notebook, a generator of random numbers, a function with `nonlocal`.
"""

import ast
import re

from svc_engine.aliases import changed_behind, parts_of, worked_on
from svc_engine.cell_trees import cell_tree, with_lines_above
from svc_engine.code_changes import CHANGED_BY_NAME, CHANGES, CHANGES_FIRST, FUNCTIONS, changed_in_database
from svc_engine.known_makers import KnownMakers
from svc_engine.magics import plain
from svc_engine.mutation import asked_name, changed_by_call, root_name
from svc_engine.one_object import OneObject
from svc_engine.seen_by_functions import MARK as AS_IT_IS
from svc_engine.seen_by_functions import SeenByFunctions

MARK = "# svc import: changed here, and handed on"

_ONLY_LOOKS = re.compile(
    r"^(to_|show|save|hist|info$|describe$|head$|tail$|close$|flush$|print|display|summary|dump|join$|start$|getvalue$|get_)"
)
_ONLY_DRAWS = re.compile(r"^plot")


class Carrier:
    """Looks at the cells of a notebook in their order. `needed`: what one that has looked before found to be needed of cells above."""

    def __init__(self, needed=frozenset()):
        self._needed = needed
        self._count = 0
        self._data = set()  # names that cells above gave to values
        self._known = KnownMakers()
        self._objects = OneObject()
        self._seen = SeenByFunctions()
        self.continued = []  # figures of cells above that the last cell draws on
        self.drawn = []  # figures that it has begun
        self.told = []  # lines that tell functions what has changed

    @property
    def needed(self):
        """(cell, name): the cell makes something that works on what it was given, and another changes it."""
        return self._objects.needed

    def hand_on(self, source):
        """The source, with a line for what it changes; and those lines."""
        self.continued, self.drawn = [], []
        read = cell_tree(source)
        tree, nodes = read.tree, read.run_here
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del))}
        paths = [ast.unparse(node) for node in nodes if _is_written(node)]
        self._known.note([node for node in nodes if isinstance(node, FUNCTIONS)])
        self._known.note_held(nodes)  # a cell may make what holds something, and change it at once
        called = [name for name in self._changed(source, tree, nodes) if name]
        called += [worked_on(node.value) for node in nodes if self._makes_what_is_needed(node)]
        written = [asked_name(node) for node in nodes if _is_written(node)]
        written += [changed_by_call(node) for node in nodes if isinstance(node, ast.Call)]
        called += self._known.changed_with([*called, *written])
        behind = changed_behind(nodes, {*called, *written})
        called += sorted(behind)
        lines, bound = self._objects.lines({*called, *written} - stored, paths, self._data - stored, behind)
        self.continued = [name for name in self._objects.figures() if name in bound]
        lines += [f"{name} = {name}" for name in dict.fromkeys(called) if name in self._data and name not in stored | bound]
        changed = {*called, *written, *bound} - {None}
        self.told = self._seen.lines(nodes, changed, stored, self._data)
        self._seen.note(nodes, changed, stored)
        self._objects.note(tree, self._data, [*paths, *_method_paths(nodes, called)], self._count)
        self._count += 1
        self._note(nodes, stored)
        self.drawn = [name for name in self._objects.figures() if name in stored]
        added = [*(f"{line}  {MARK}" for line in lines), *(f"{line}  {AS_IT_IS}" for line in self.told)]
        return (with_lines_above(source, tree, added) if added else source), lines

    def _makes_what_is_needed(self, node):
        return isinstance(node, ast.Assign) and any((self._count, getattr(target, "id", None)) in self._needed for target in node.targets)

    def _changed(self, source, tree, nodes):
        known = self._known
        last = tree.body[-1] if tree.body and not _is_silenced(source, tree.body[-1]) else None
        thrown_away = {_call_of(node) for node in nodes if isinstance(node, ast.Expr) and node is not last}
        for node in nodes:
            if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and known.is_used_up(root_name(node.iter)):
                yield root_name(node.iter)
            yield from known.changed_by_use(node)
            for decorator in getattr(node, "decorator_list", ()):  # `@register` calls the function too
                yield from known.changed_by_use(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if _is_written(node) and isinstance(node.ctx, ast.Del):
                yield root_name(node)  # the analysis takes `del` for reading
            if isinstance(node, ast.Subscript) and known.grows_when_read(root_name(node)):
                yield root_name(node)
            if isinstance(node, ast.ClassDef):  # `class User(Base)` is known to Base from then on
                yield from (base.id for base in node.bases if isinstance(base, ast.Name) and known.keeps_a_state(base.id))
            if not isinstance(node, ast.Call):
                continue
            given = [one.id for one in [*node.args, *(word.value for word in node.keywords)] if isinstance(one, ast.Name)]
            yield from (name for name in given if known.is_used_up(name) or known.is_drawn_from(name))
            if node.args and getattr(node.func, "attr", getattr(node.func, "id", None)) in CHANGES_FIRST:
                yield root_name(node.args[0])
            yield from (root_name(word.value) for word in node.keywords if word.arg in CHANGED_BY_NAME)
            yield from changed_in_database(node)
            if isinstance(node.func, ast.Name):
                yield from self._changed_by(node)
            if not isinstance(node.func, ast.Attribute):
                continue
            name, method = root_name(node.func.value), node.func.attr
            if (
                method in CHANGES
                or known.changes_its_object(method)
                or ((known.keeps_a_state(name) or known.is_used_up(name)) and not _ONLY_LOOKS.match(method))
                or (node in thrown_away and not _ONLY_LOOKS.match(method) and not _ONLY_DRAWS.match(method))
            ):
                yield from parts_of(node.func.value)

    def _changed_by(self, call):
        """By a call of a plain name."""
        name = call.func.id
        if name == "next" and call.args:
            yield root_name(call.args[0])
        if self._known.keeps_a_state(name):
            yield name
        if name in self._known.functions:
            yield from self._known.functions[name].changed_by(call)

    def _note(self, nodes, stored):
        imported = {
            (alias.asname or alias.name.partition(".")[0])
            for node in nodes
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        defined = {node.name for node in nodes if isinstance(node, (*FUNCTIONS, ast.ClassDef))}
        self._data = (self._data | stored) - imported - defined
        self._known.note(nodes)


def _is_written(node):
    return isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load)


def _method_paths(nodes, called):
    """`columns.clear` of a call that changes `columns`."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and root_name(node.func) in called:
            yield ast.unparse(node.func)


def _is_silenced(source, statement):
    """`sampler.run(state);` shows nothing: its value is thrown away, too."""
    line = plain(source).split("\n")[statement.end_lineno - 1].encode()
    return line[statement.end_col_offset :].lstrip().startswith(b";")


def _call_of(statement):
    value = statement.value
    return value.value if isinstance(value, ast.Await) else value
