"""Names that an expression reads, in the order of evaluation, with the scopes that live inside expressions.

Chains such as `a + b + c + …` nest as deep as they are long, so the walk keeps its own stack; only lambdas,
comprehensions and walruses, whose nesting the parser bounds, use Python's.
"""

import ast

from svc_engine.mutation import changed_by_call, root_name
from svc_engine.names import bind, mutate, need, read
from svc_runtime.sql_calls import TAKE_SQL


def visit_expression(names, expression):
    pending = [expression]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is ast.Name:
            read(names, node.id)
        elif kind is not ast.Constant:
            special = SPECIAL.get(kind)
            if special is None or special(names, node):
                _push_children(pending, node)


# These hold operators, contexts and plain values, never a name that is read.
FIELDS_WITHOUT_NAMES = frozenset({"arg", "attr", "conversion", "ctx", "kind", "op", "ops", "str"})
CHILD_FIELDS = {}


def _child_fields(kind):
    fields = tuple(field for field in reversed(kind._fields) if field not in FIELDS_WITHOUT_NAMES)
    CHILD_FIELDS[kind] = fields
    return fields


def _push_children(pending, node):
    """Last field first: the stack gives them back in the order of evaluation."""
    kind = type(node)
    for field in CHILD_FIELDS.get(kind) or _child_fields(kind):
        child = getattr(node, field, None)
        if isinstance(child, ast.AST):
            pending.append(child)
        elif isinstance(child, list):
            pending.extend(item for item in reversed(child) if item is not None)


# Each special visitor returns whether the children are still to be visited in the ordinary way.


def _visit_call(names, node):
    changed = changed_by_call(node)
    if changed is not None:
        mutate(names, changed)
    if type(node.func) is ast.Attribute and node.func.attr in TAKE_SQL:
        for name in _read_by_sql(node):
            need(names, name)
    return True


def _read_by_sql(node):
    """Loaded by the first cell that has one."""
    from svc_engine.sql_names import read_by_sql

    return read_by_sql(node)


def _visit_walrus(names, node):
    visit_expression(names, node.value)
    bind(names, node.target.id)
    return False


def _visit_lambda(names, node):
    visit_defaults(names, node.args)
    with_parameters = names.hidden | {argument.arg for argument in all_arguments(node.args)}
    _visit_hidden(names, with_parameters.union(_walrus_targets(node.body)), [node.body])
    return False


def _visit_comprehension(names, node):
    first = node.generators[0]
    visit_expression(names, first.iter)  # the only part that is evaluated outside
    targets = frozenset(_stored_names(node.generators))
    inside = []
    for generator in node.generators:
        if generator is not first:
            inside.append(generator.iter)
        inside.append(generator.target)
        inside.extend(generator.ifs)
    inside.extend([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
    _visit_hidden(names, names.hidden | targets, inside)
    return False


def _visit_hidden(names, hidden, expressions):
    scope = names.module or names  # inside a class body they see the module, not the names of the class
    outside = scope.hidden
    scope.hidden = hidden
    for expression in expressions:
        visit_expression(scope, expression)
    scope.hidden = outside


def _visit_stored_part(names, node):
    """`d[k]` as the target of a comprehension; targets of statements go through `defines.py`."""
    if isinstance(node.ctx, ast.Store):
        root = root_name(node)
        if root is not None:
            mutate(names, root)
    return True


SPECIAL = {
    ast.Attribute: _visit_stored_part,
    ast.Call: _visit_call,
    ast.DictComp: _visit_comprehension,
    ast.GeneratorExp: _visit_comprehension,
    ast.Lambda: _visit_lambda,
    ast.ListComp: _visit_comprehension,
    ast.NamedExpr: _visit_walrus,
    ast.SetComp: _visit_comprehension,
    ast.Subscript: _visit_stored_part,
}


def visit_defaults(names, arguments):
    for default in [*arguments.defaults, *arguments.kw_defaults]:
        if default is not None:
            visit_expression(names, default)


def all_arguments(arguments):
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return named + [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]


def _stored_names(generators):
    for generator in generators:
        for node in ast.walk(generator.target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _walrus_targets(body):
    """Names that belong to a lambda because its body binds them; an inner lambda keeps its own."""
    pending = [body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
        if not isinstance(node, ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
