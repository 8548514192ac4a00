"""Which statements of a cell make up the module that other cells may re-execute, and which have to stay behind.

Kept are declarations: the docstring, imports, functions, classes, type aliases, and assignments of literals. They can
be run again elsewhere without doing anything but defining names.
"""

import ast

from svc_engine.defines import visit_statements
from svc_engine.names import Names

DECLARATIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import)
if hasattr(ast, "TypeAlias"):  # since 3.12
    DECLARATIONS += (ast.TypeAlias,)


def slice_module(tree):
    """The top-level statements in two lists, kept and dropped, each in the order of the source."""
    kept, dropped = _split(tree.body, lambda statement: _is_declaration(statement) or _is_docstring(statement, tree))
    changed = _changed_in_place(dropped)
    runtime_values = {statement for statement in kept if not changed.isdisjoint(literal_targets(statement))}
    left_out = runtime_values.union(dropped)
    return _split(tree.body, lambda statement: statement not in left_out)


def _split(statements, belongs):
    sides = ([], [])
    for statement in statements:
        sides[0 if belongs(statement) else 1].append(statement)
    return sides


def walk(statements, postponed=False):
    names = Names(postponed)
    visit_statements(names, statements)
    return names


def literal_targets(statement):
    """The names that an assignment of a literal binds; empty for every other statement."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return []
    names = [name for target in targets for name in _plain_names(target)]
    return names if None not in names and _is_literal(statement.value) else []


def _is_declaration(statement):
    if isinstance(statement, ast.ImportFrom):
        return all(alias.name != "*" for alias in statement.names)
    return isinstance(statement, DECLARATIONS) or bool(literal_targets(statement))


def _is_docstring(statement, tree):
    return statement is tree.body[0] and ast.get_docstring(tree, clean=False) is not None


def _changed_in_place(dropped):
    """`TABLE = {}` and later `TABLE['a'] = f()`: the literal is not its value, so the cell's own value has to travel."""
    names = walk(dropped)
    return names.mutations - names.pure_defines


def _plain_names(target):
    """The names of a target; None stands for a part that is no name."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple):
        return [name for element in target.elts for name in _plain_names(element)]
    return [None]


def _is_literal(node):
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return _is_literal(node.operand)
    if isinstance(node, (ast.List, ast.Set, ast.Tuple)):
        return all(map(_is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return all(key is not None and _is_literal(key) for key in node.keys) and all(map(_is_literal, node.values))
    return False
