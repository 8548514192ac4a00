"""How long code that is run later may still be called: a function that reads a name reads what the name means at that moment. What
holds such code (its own name, an object of its class, a list that it was put into) is followed from statement to statement; where
it goes to somebody unknown, it may be called until the end.
"""

import ast

from svc_engine.explicit.occurrences import EAGER, FUNCTIONS, called_name

_NESTED = (*FUNCTIONS, ast.ClassDef, ast.Lambda, ast.GeneratorExp, ast.Yield, ast.YieldFrom, ast.Await)


class Statement:
    """A statement of a cell, with the names in it; a cell of another language is one."""

    def __init__(self, cell, number, node=None, reads=(), binds=()):
        self.cell, self.number, self.node = cell, number, node
        self.is_definition = isinstance(node, (*FUNCTIONS, ast.ClassDef))
        if node is None:
            self.mentions, self.binds = {*reads, *binds}, set(binds)
            self.handled = self.given = set()
            return
        parts = list(ast.walk(node))
        names = [part for part in parts if isinstance(part, ast.Name)]
        self.mentions = {part.id for part in names}
        self.binds = {part.id for part in names if not isinstance(part.ctx, ast.Load)}
        self.binds |= {part.name for part in parts if isinstance(part, (*FUNCTIONS, ast.ClassDef))}
        self.calls = [part for part in parts if isinstance(part, ast.Call)]
        callees = {part.func for part in self.calls}
        self.handled = {part.id for part in names if isinstance(part.ctx, ast.Load) and part not in callees}
        self.given = {
            part.id
            for call in self.calls
            if called_name(call) not in EAGER
            for argument in (*call.args, *call.keywords)
            for part in _not_called(argument)
        }

    @property
    def place(self):
        return (self.cell, self.number, 0)

    @property
    def plain_code(self):
        """The name of the code that it makes, where calling that runs its body and leaves nothing that runs later; else None."""
        node = self.node
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            return None if any(isinstance(part, _NESTED) and part is not node for part in ast.walk(node)) else node.name
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and len(node.targets) == 1:
            inside = ast.walk(node.value.body)
            return None if any(isinstance(part, _NESTED) for part in inside) else getattr(node.targets[0], "id", None)
        return None

    def gives_anew(self):
        """Names that it certainly gives to something else."""
        if self.node is None:
            return self.binds
        if isinstance(self.node, ast.Assign):
            return {target.id for target in self.node.targets if isinstance(target, ast.Name)}
        return {self.node.name} if self.is_definition else set()


def _not_called(argument):
    """Names that are given as they are: of `f(x)` only `x`."""
    pending = [argument]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            yield node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            pending.extend((*node.args, *node.keywords))
        else:
            pending.extend(ast.iter_child_nodes(node))


def calls_of(made, statements):
    """The places where code that `made` makes may be run; None when it may be until the end."""
    if made.is_definition and made.node.decorator_list or not made.is_definition and _gives_code(made.node):
        return None
    holders = _holders_of(made)
    for other in _through_names(statements, holders):
        if other.given & holders:
            return None
        holders.add(other.node.name)
    code = {one.plain_code: one for one in statements if one.node is not None and one.plain_code}
    places = [] if made.is_definition else [made.place]
    for statement in statements[statements.index(made) + 1 :]:
        met = holders & statement.mentions
        if not met:
            holders -= statement.gives_anew()
            continue
        if statement.node is None:
            places.append(statement.place)
            holders |= statement.binds
            continue
        if statement.is_definition and met == {statement.node.name} and not _is_met_at_once(statement, met):
            holders -= met  # it calls itself
            continue
        # A plain function that is only called leaves nothing behind that could be called again.
        held = {name for name in met if name in statement.handled or name not in code or code[name].handled & holders}
        if held & statement.given:
            return None
        if statement.is_definition and not _is_met_at_once(statement, met):
            holders.add(statement.node.name)
            continue
        places.append(statement.place)
        if held:
            holders |= statement.binds | (statement.handled if isinstance(statement.node, ast.Expr) else set())
    return places


def _holders_of(made):
    if made.is_definition:
        return {made.node.name}
    return set(made.binds) | {part.value.id for part in ast.walk(made.node) if _is_part_written(part)}


def _is_part_written(node):
    return isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)


def _gives_code(node):
    """Hands a lambda or a generator to something that is not known."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and called_name(call) not in EAGER:
            for argument in (*call.args, *call.keywords):
                if any(isinstance(part, (ast.Lambda, ast.GeneratorExp)) for part in ast.walk(argument)):
                    return True
    return False


def _through_names(statements, holders):
    """Functions that call what is held, wherever they stand: they look it up when they are called."""
    known = set(holders)
    while True:
        more = [
            one for one in statements if one.is_definition and one.node.name not in known and one.mentions & known
        ]
        if not more:
            return
        for one in more:
            known.add(one.node.name)
            yield one


def _is_met_at_once(statement, met):
    """A definition that runs something of what is held: a decorator, a default, a base, the body of a class."""
    node = statement.node
    parts = [*node.decorator_list]
    if isinstance(node, ast.ClassDef):
        parts += [*node.bases, *(line for line in node.body if not isinstance(line, FUNCTIONS))]
    else:
        parts += [part for part in (*node.args.defaults, *node.args.kw_defaults) if part is not None]
    return any(isinstance(part, ast.Name) and part.id in met for top in parts for part in ast.walk(top))
