"""The walk over statements that run when the cell runs: what each binds, changes and reads, in their order.

Bodies of functions run later, if ever, and are left to `bodies.py`. A class body runs at once, in a scope of its own.
"""

import ast

from svc_engine.mutation import root_name
from svc_engine.names import Names, bind, bind_module, mutate, read, rebind
from svc_engine.patterns import bind_pattern
from svc_engine.references import all_arguments, visit_defaults, visit_expression


def walk(statement, postponed):
    """The names of one top-level statement, taken by itself."""
    names = Names(postponed)
    visit_statements(names, [statement])
    return names


def visit_statements(names, statements):
    for statement in statements:
        visit = STATEMENTS.get(type(statement))
        if visit is None:
            _visit_other(names, statement)
        else:
            visit(names, statement)


def _visit_other(names, statement):
    """`if`, `while`, `return`, an expression, …: what they hold is read or run in the order it stands."""
    for field in statement._fields:
        child = getattr(statement, field, None)
        if isinstance(child, ast.expr):
            visit_expression(names, child)
        elif isinstance(child, list) and child and isinstance(child[0], ast.stmt):
            visit_statements(names, child)
        elif isinstance(child, list) and child and isinstance(child[0], ast.expr):
            for expression in child:
                visit_expression(names, expression)


def bind_target(names, target):
    if isinstance(target, ast.Name):
        bind(names, target.id)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            bind_target(names, element)
    elif isinstance(target, ast.Starred):
        bind_target(names, target.value)
    else:
        _change_target(names, target)


def _change_target(names, target):
    """`x[i]` or `x.a` on the left: `x` changes, and whatever stands between the brackets is read."""
    root = root_name(target)
    if root is not None:
        mutate(names, root)
    visit_expression(names, target.value)
    if isinstance(target, ast.Subscript):
        visit_expression(names, target.slice)


def _visit_assign(names, node):
    if all(isinstance(target, ast.Name) and target.id == "_" for target in node.targets):
        _visit_discarded(names, node.value)
    else:
        visit_expression(names, node.value)
    for target in node.targets:
        bind_target(names, target)


def _visit_discarded(names, expression):
    aside = Names(names.postponed, names.module)
    aside.hidden = names.hidden
    visit_expression(aside, expression)
    names.discarded |= (aside.references | aside.discarded) - names.defines


def _visit_augmented(names, node):
    if isinstance(node.target, ast.Name):
        rebind(names, node.target.id)
    else:
        _change_target(names, node.target)
    visit_expression(names, node.value)


def _visit_annotated(names, node):
    if node.value is not None:
        visit_expression(names, node.value)
        bind_target(names, node.target)
    if not names.postponed:
        visit_expression(names, node.annotation)
    if isinstance(node.target, ast.Name):
        names.defines.add(node.target.id)  # `x: int` alone promises a value
    elif node.value is None:
        _change_target(names, node.target)


def _visit_for(names, node):
    visit_expression(names, node.iter)
    bind_target(names, node.target)
    visit_statements(names, node.body)
    visit_statements(names, node.orelse)


def _visit_with(names, node):
    for item in node.items:
        visit_expression(names, item.context_expr)
        if item.optional_vars is not None:
            bind_target(names, item.optional_vars)
    visit_statements(names, node.body)


def _visit_try(names, node):
    visit_statements(names, node.body)
    for handler in node.handlers:
        if handler.type is not None:
            visit_expression(names, handler.type)
        if handler.name is not None:
            bind(names, handler.name)
        visit_statements(names, handler.body)
    visit_statements(names, node.orelse)
    visit_statements(names, node.finalbody)


def _visit_match(names, node):
    visit_expression(names, node.subject)
    for case in node.cases:
        bind_pattern(names, case.pattern)
        if case.guard is not None:
            visit_expression(names, case.guard)
        visit_statements(names, case.body)


def _visit_function(names, node):
    for decorator in node.decorator_list:
        visit_expression(names, decorator)
    visit_defaults(names, node.args)
    if not names.postponed:
        annotations = [argument.annotation for argument in all_arguments(node.args)] + [node.returns]
        _visit_with_type_parameters(names, node, [note for note in annotations if note is not None])
    bind(names, node.name)


def _visit_class(names, node):
    for decorator in node.decorator_list:
        visit_expression(names, decorator)
    _visit_with_type_parameters(names, node, [*node.bases, *(keyword.value for keyword in node.keywords)])
    module = names.module or names  # a class body never sees the names of a class around it
    for name in class_body_names(node, names.postponed, module).read_first:
        read(module, name)
    bind(names, node.name)


def class_body_names(node, postponed, module=None):
    inside = Names(postponed, module)
    inside.hidden = _type_parameters(node)
    visit_statements(inside, node.body)
    return inside


def _visit_with_type_parameters(names, node, expressions):
    outside = names.hidden
    names.hidden = outside | _type_parameters(node)
    for expression in expressions:
        visit_expression(names, expression)
    names.hidden = outside


def _type_parameters(node):
    return frozenset(parameter.name for parameter in getattr(node, "type_params", ()))  # since 3.12


def _visit_import(names, node):
    for alias in node.names:
        bind_module(names, alias.asname or alias.name.partition(".")[0])


# `from a import b` does not say whether `b` is a module; these are, and people set options on them.
_KNOWN_MODULES = {"matplotlib.pyplot", "plotly.express", "plotly.graph_objects", "plotly.io"}


def _visit_import_from(names, node):
    if node.module == "__future__":
        return  # speaks to the compiler; the name it binds is of no use to anybody
    for alias in node.names:
        if alias.name == "*":
            names.imports_star = True
        elif f"{node.module}.{alias.name}" in _KNOWN_MODULES:
            bind_module(names, alias.asname or alias.name)
        else:
            bind(names, alias.asname or alias.name)


def _visit_type_alias(names, node):
    bind(names, node.name.id)  # the value is evaluated later, in a scope that `bodies.py` sees


STATEMENTS = {
    ast.AnnAssign: _visit_annotated,
    ast.Assign: _visit_assign,
    ast.AsyncFor: _visit_for,
    ast.AsyncFunctionDef: _visit_function,
    ast.AsyncWith: _visit_with,
    ast.AugAssign: _visit_augmented,
    ast.ClassDef: _visit_class,
    ast.For: _visit_for,
    ast.FunctionDef: _visit_function,
    ast.Import: _visit_import,
    ast.ImportFrom: _visit_import_from,
    ast.Match: _visit_match,
    ast.Try: _visit_try,
    ast.With: _visit_with,
}
if hasattr(ast, "TryStar"):  # since 3.11
    STATEMENTS[ast.TryStar] = _visit_try
if hasattr(ast, "TypeAlias"):  # since 3.12
    STATEMENTS[ast.TypeAlias] = _visit_type_alias
