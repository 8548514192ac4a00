"""Walks through trees in the order of their text, without the nodes that nobody looks at: operators, and whether a name is read."""

import ast
import functools

_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LEFT_OUT = frozenset({"ctx", "op", "ops", "kind", "type_comment", "type_ignores"})


def nodes_within(node):
    """Every node below one."""
    return _below(node, ())


def run_here(node):
    """Every node within but the bodies of functions and classes, which run later if ever."""
    return _below(node, _CLOSED)


def _below(node, closed):
    pending = _children(node)
    while pending:
        child = pending.pop()
        yield child
        if not isinstance(child, closed):
            pending.extend(_children(child))


def _children(node):
    """The last first."""
    found = []
    for field in _fields(type(node)):
        value = getattr(node, field, None)
        if isinstance(value, list):
            found.extend(one for one in value if isinstance(one, ast.AST))
        elif isinstance(value, ast.AST):
            found.append(value)
    found.reverse()
    return found


@functools.cache
def _fields(kind):
    return tuple(field for field in kind._fields if field not in _LEFT_OUT)
