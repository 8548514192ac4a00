"""Patterns of `case`: captures bind, everything else that is a name is read."""

import ast

from svc_engine.names import bind
from svc_engine.references import visit_expression


def bind_pattern(names, pattern):
    pending = [pattern]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr):
            visit_expression(names, node)
            continue
        capture = node.rest if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
        if capture is not None:
            bind(names, capture)
        pending.extend(reversed(list(ast.iter_child_nodes(node))))
