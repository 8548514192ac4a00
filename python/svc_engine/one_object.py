"""Two names for one object: after `other = df`, `columns = {'frame': df}` or `fig, ax = plt.subplots()` a change through one of them
is seen through the other. Cells keep their values apart, so a cell that changes such an object binds its names anew:
`df = other = df`.
"""

import ast
from dataclasses import dataclass

from svc_engine.aliases import worked_on
from svc_engine.walking import nodes_within


@dataclass(frozen=True)
class Link:
    root: str
    other: str
    """How the same object is written otherwise: `other`, `columns['frame']`."""
    base: str
    """The name that this begins with."""

    @property
    def is_inside(self):
        return self.other != self.base


class OneObject:
    def __init__(self):
        self._links = []
        self._workers = {}  # name of a cursor, of a writer -> that of the connection, of the file that it works on
        self._made_in = {}  # the same -> the cell that made it of something from above
        self.needed = set()  # (cell, name) of those that are changed later: their cell has to hand on what they work on
        self._figures = {}  # name of an axes object -> (name of its figure, how to get that from it)

    def lines(self, changed, paths, names, opened=frozenset()):
        """Lines that bind the names of each changed object anew, and all names that they bind. `paths`: what is written to, as
        text; `names`: those that cells above gave to values; `opened`: those whose elements are changed by another name."""
        found, bound = [], set()
        for root in dict.fromkeys(link.root for link in self._links):
            links = [link for link in self._links if link.root == root and {link.root, link.base} <= names]
            touched = [link for link in links if root in changed or self._is_through(link, changed, paths, opened)]
            if not touched:
                continue
            found.append(f"{root} = {' = '.join(link.other for link in links)} = {root}")
            bound |= {root, *(link.base for link in links)}
        for together in self._working_together():
            together = [name for name in together if name in names]
            if len(together) > 1 and not changed.isdisjoint(together):
                found.append(f"{', '.join(together)} = {', '.join(together)}")
                bound |= set(together)
                self.needed |= {(self._made_in[name], name) for name in together if name in self._made_in}
        for axes, (figure, path) in self._figures.items():
            if {axes, figure} <= names and not (changed | bound).isdisjoint({axes, figure}):
                found.append(f"{figure}, {axes} = {axes}{path}, {axes}")
                bound |= {figure, axes}
        return found, bound

    def _working_together(self):
        """What is worked on, with all that works on it or on one of those."""
        for root in dict.fromkeys(root for root in self._workers.values() if root not in self._workers):
            together = [root]
            for one in together:
                together += [worker for worker, of in self._workers.items() if of == one and worker not in together]
            yield together

    def figures(self):
        """Names of the figures whose axes have names."""
        return list(dict.fromkeys(figure for figure, _ in self._figures.values()))

    def note(self, tree, names, paths, cell):
        """Looks at one cell, after its lines were made: what it binds, and what it takes apart."""
        from_above = names
        # `columns['frame'] = 1` or `columns.clear()`: whatever lies inside may be something else now.
        self._links = [link for link in self._links if not (link.is_inside and self._is_taken_apart(link, paths))]
        for statement in tree.body:
            stored = {node.id for node in [statement, *nodes_within(statement)] if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
            self._links = [link for link in self._links if stored.isdisjoint({link.root, link.base})]
            self._figures = {axes: of for axes, of in self._figures.items() if stored.isdisjoint({axes, of[0]})}
            self._workers = {worker: of for worker, of in self._workers.items() if stored.isdisjoint({worker, of})}
            if isinstance(statement, ast.Assign):
                self._bind(statement, names | stored)
                made = {name: cell for name, root in self._workers.items() if name in stored and root in from_above}
                self._made_in = {name: of for name, of in self._made_in.items() if name not in stored} | made
            names = names | stored

    def _bind(self, statement, names):
        value = statement.value
        for target in statement.targets:
            if isinstance(target, ast.Tuple) and _is_subplots(value):
                names_of = [getattr(element, "id", None) for element in target.elts]
                if len(names_of) == 2 and all(names_of):
                    figure, axes = names_of
                    single = not value.args and not any(word.arg in ("nrows", "ncols") for word in value.keywords)
                    self._figures[axes] = (figure, ".figure" if single else ".flat[0].figure")
            if not isinstance(target, ast.Name):
                continue
            if (root := worked_on(value)) in names:
                self._workers[target.id] = root
            for path, name in _names_in(value):
                if name in names and name != target.id:
                    root = next((link.root for link in self._links if link.other == name), name)
                    self._links.append(Link(root, target.id + path, target.id))

    @staticmethod
    def _is_through(link, changed, paths, opened):
        if not link.is_inside:
            return link.base in changed
        return link.base in opened or any(path.startswith((f"{link.other}[", f"{link.other}.")) for path in paths)

    @staticmethod
    def _is_taken_apart(link, paths):
        return any(
            path.startswith((f"{link.base}[", f"{link.base}.")) and not path.startswith((f"{link.other}[", f"{link.other}."))
            for path in paths
        )


def _names_in(value):
    """The names that a value holds as they are, with the way to each."""
    if isinstance(value, ast.Name):
        return [("", value.id)]
    if isinstance(value, ast.List):
        return [(f"[{at}]", one.id) for at, one in enumerate(value.elts) if isinstance(one, ast.Name)]
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values)
        return [(f"[{key.value!r}]", one.id) for key, one in pairs if isinstance(key, ast.Constant) and isinstance(one, ast.Name)]
    return []


def _is_subplots(value):
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "subplots"
