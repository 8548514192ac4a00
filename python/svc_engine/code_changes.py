"""What a function changes in place when it is called: what it is given, and what it finds around it (`log.append(line)`,
`registry[name] = function`, `global total`). Seen from its text alone; what the functions that it calls do is not.
"""

import ast
import re

from svc_engine.mutation import changed_by_call, root_name
from svc_engine.walking import nodes_within

CHANGES = set(
    "append extend insert pop remove set sort reverse clear update setdefault add discard popitem appendleft popleft extendleft rotate "
    "put put_nowait get_nowait subtract fit fit_transform fit_predict partial_fit add_node add_nodes_from add_edge add_edges_from "
    "remove_node remove_edge add_trace add_traces update_layout update_traces add_column add_row executemany executescript "
    "create_function create_aggregate create_collation step zero_grad load_state_dict decompose replace_with".split()
)
# Functions of libraries that change what they are given first.
CHANGES_FIRST = set(
    "heappush heappop heapify heappushpop heapreplace insort insort_left insort_right shuffle setattr delattr fill_diagonal "
    "copyto put place putmask set_node_attributes set_edge_attributes relabel_nodes SubElement add_to record_evaluation".split()
)
# What they are given under these names is changed.
CHANGED_BY_NAME = {"evals_result", "out"}
_ONLY_READS = re.compile(r"\s*(select|pragma|explain|with|show|describe)\b", re.IGNORECASE)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def changed_in(nodes):
    """The names that these change in place; None for what has no name."""
    for node in nodes:
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            yield root_name(node)
        elif isinstance(node, ast.Call):
            yield changed_by_call(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
                yield root_name(node.func.value)
            yield from changed_in_database(node)


def changed_in_database(call):
    """The connections through which a call changes what a database holds: `con.execute('insert …')`, `df.to_sql('sales', con)`."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else None
    text = call.args[0] if call.args else None
    if method == "execute" and text is not None and not (isinstance(text, ast.Constant) and _ONLY_READS.match(str(text.value))):
        yield root_name(call.func.value)
    elif method == "to_sql":
        yield from (root_name(one) for one in [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "con")])


def changed_around(definition):
    """The names that a function, or the methods of a class, change and do not bind, or bind by `global`."""
    bound, declared = {"self", "cls"}, set()
    nodes = [definition, *nodes_within(definition)]
    for node in nodes:
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.Global):
            declared.update(node.names)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    functions = nodes if isinstance(definition, FUNCTIONS) else _in_functions(nodes)
    changed = set(changed_in(functions))
    return (changed - (bound - declared) - {None}) | (declared & bound)


def _in_functions(nodes):
    for node in nodes:
        if isinstance(node, FUNCTIONS):
            yield from nodes_within(node)
