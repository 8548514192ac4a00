"""Where in a cell a name certainly gets another value, whatever ran before: from there on nothing can see the old one."""

import ast


def first_step(name, body, may_be):
    """The number of the statement that gives the name anew, and the nodes in it that already mean the new value; None when there is
    none. `may_be`: whether a statement, by its number, may be one."""
    for number, statement in enumerate(body):
        if may_be(number):
            new = _new_in(name, statement)
            if new is not None:
                return number, new
    return None


def is_plain(statement):
    """What it reads is read before it binds."""
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef))


def _new_in(name, statement):
    """All nodes of the statement that are run after it has bound the name; None when it may end without."""
    handler = _KINDS.get(type(statement))
    return handler(name, statement) if handler else None


def _assign(name, node):
    # `x = x`: the same value under the same name.
    return None if _is_name(name, node.value) else _of_targets(name, node.targets)


def _annotated(name, node):
    if node.value is None or _mentions(name, node.annotation):
        return None
    return _of_targets(name, [node.target])


def _of_targets(name, targets):
    plain, others = [], []
    pending = list(targets)
    while pending:
        target = pending.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            pending.extend(target.elts)
        elif isinstance(target, ast.Starred):
            pending.append(target.value)
        else:
            (plain if isinstance(target, ast.Name) else others).append(target)
    bound = {target for target in plain if target.id == name}
    # `df['a'], df = …`: which comes first matters, and nobody writes that.
    if not bound or any(_mentions(name, target) for target in others):
        return None
    return bound


def _function(name, node):
    return {node} if node.name == name and not node.decorator_list else None


def _with(name, node):
    """What is bound by the first manager is there for all that follows; a body may be left by an error that a manager takes."""
    first, *others = node.items
    new = _of_targets(name, [first.optional_vars]) if first.optional_vars is not None else None
    return None if new is None else new | {part for item in others for part in ast.walk(item)} | _all(node.body)


def _if(name, node):
    branches = [_block(name, node.body), _block(name, node.orelse)]
    return None if None in branches else branches[0] | branches[1]


def _try(name, node):
    """Whatever happens in the body, a handler binds before it reads."""
    if any(_mentions(name, part) for part in node.finalbody):
        return None
    body = _block(name, node.body)
    handlers = [_block(name, handler.body, reads_before=False) for handler in node.handlers]
    if body is None or None in handlers or not node.handlers or any(_mentions(name, handler.type) for handler in node.handlers):
        return None
    return body.union(*handlers) | _all(node.orelse)


def _for(name, node):
    """A loop that certainly runs, and binds before it reads in each round."""
    if not _is_filled(node.iter) or node.orelse:
        return None
    target = _of_targets(name, [node.target])
    if target is not None:
        return target | _all(node.body)
    if _mentions(name, node.target):
        return None
    return _block(name, node.body, reads_before=False)


def _block(name, body, reads_before=True):
    """Statements one after the other, without a way out before the name is bound. A block that raises does not matter."""
    for number, statement in enumerate(body):
        if isinstance(statement, ast.Raise) and not reads_before and not _mentions(name, statement):
            return set()
        new = _new_in(name, statement)
        if new is not None:
            if not reads_before and any(_is_name(name, part) and part not in new for part in ast.walk(statement)):
                return None
            return new | _all(body[number + 1 :])
        if any(isinstance(part, (ast.Break, ast.Continue, ast.Return)) for part in ast.walk(statement)):
            return None
        if not reads_before and _mentions(name, statement):
            return None
    return None


def _is_filled(iterable):
    if isinstance(iterable, (ast.List, ast.Tuple, ast.Set)):
        return any(not isinstance(element, ast.Starred) for element in iterable.elts)
    if isinstance(iterable, ast.Constant):
        return isinstance(iterable.value, (str, bytes)) and len(iterable.value) > 0
    is_range = isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range"
    if not is_range or iterable.keywords or not all(isinstance(one, ast.Constant) for one in iterable.args):
        return False
    numbers = [one.value for one in iterable.args]
    return all(type(number) is int for number in numbers) and len(numbers) in (1, 2) and len(range(*numbers)) > 0


def _all(statements):
    return {part for statement in statements for part in ast.walk(statement)}


def _is_name(name, node):
    return getattr(node, "id", None) == name


def _mentions(name, node):
    if node is None:
        return False
    return any(name in (getattr(part, field, None) for field in ("id", "name", "asname")) for part in ast.walk(node))


_KINDS = {
    ast.AnnAssign: _annotated,
    ast.Assign: _assign,
    ast.AsyncFunctionDef: _function,
    ast.AsyncWith: _with,
    ast.For: _for,
    ast.FunctionDef: _function,
    ast.If: _if,
    ast.Try: _try,
    ast.With: _with,
}
