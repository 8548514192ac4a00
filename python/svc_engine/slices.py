"""Which statements of a cell make up the module that other cells may re-execute, and which have to stay behind.

Kept are declarations: the docstring, imports, functions, classes, type aliases, and assignments of literals. They can
be run again elsewhere without doing anything but defining names.
"""

import ast

from svc_engine.code_changes import changed_around
from svc_engine.names import in_sequence

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
DECLARATIONS = (*DEFINITIONS, ast.Import)
if hasattr(ast, "TypeAlias"):  # since 3.12
    DECLARATIONS += (ast.TypeAlias,)


def is_module(tree):
    """Whether it is declarations and nothing else."""
    return len(_declarations(tree)) == len(tree.body)


def slice_module(tree, walks):
    """The top-level statements with their names, as pairs in two lists, kept and dropped, in the order of the source."""
    pairs = list(zip(tree.body, walks))
    kept = _declarations(tree)
    names = in_sequence([names for statement, names in pairs if statement not in kept])
    changed = (names.mutations - names.pure_defines) | _perhaps_changed(kept, names)
    # `TABLE = {}` that a function of the cell fills: whoever calls the function has the table.
    changed |= {name for statement in kept if isinstance(statement, DEFINITIONS) for name in changed_around(statement)}
    kept = {statement for statement in kept if changed.isdisjoint(literal_targets(statement))}
    return [pair for pair in pairs if pair[0] in kept], [pair for pair in pairs if pair[0] not in kept]


def fills_literals(tree, walks):
    """Whether readers get other values of it than before 2026-11: these were the literals themselves."""
    kept = _declarations(tree)
    names = in_sequence([names for statement, names in zip(tree.body, walks) if statement not in kept])
    return not _perhaps_changed(kept, names) <= names.mutations - names.pure_defines


def _declarations(tree):
    docstring = tree.body[0] if ast.get_docstring(tree, clean=False) is not None else None
    return {statement for statement in tree.body if statement is docstring or _is_declaration(statement)}


def _perhaps_changed(kept, names):
    """`TABLE = {}` and later `TABLE['a'] = f()`, `scores = []` and later `scores.append(f(1))`: the literal is not its value, so the cell's
    own value has to travel. What can change counts as changed where it is read at all: whoever gets it may keep or fill it.
    """
    can_change = {name for statement in kept for name in literal_targets(statement) if _can_change(statement.value)}
    return can_change & names.references


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


def _can_change(literal):
    return any(isinstance(node, (ast.List, ast.Set, ast.Dict)) for node in ast.walk(literal))


def _is_declaration(statement):
    if isinstance(statement, ast.ImportFrom):
        return all(alias.name != "*" for alias in statement.names)
    return isinstance(statement, DECLARATIONS) or bool(literal_targets(statement))


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
