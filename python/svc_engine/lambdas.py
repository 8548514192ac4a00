"""`square = lambda x: x * x` has no source of its own that other cells could be given. Where one of them uses it, it is written as
the function that it is.
"""

import ast

from svc_engine.cell_trees import cell_names, cell_tree

# What stands behind a colon, and not behind `return`.
_IN_BRACKETS = (ast.NamedExpr, ast.Yield, ast.YieldFrom)


def write_functions(cells, notes):
    """`cells`: those of Python, as (place, cell), in their order."""
    if not any(_named_lambdas(cell["source"]) for _, cell in cells):
        return
    reads = {place: {*cell_names(cell["source"])["references"]} for place, cell in cells}
    for place, cell in cells:
        elsewhere = set().union(*(names for other, names in reads.items() if other != place))
        lines = cell["source"].split("\n")
        for statement in reversed(_named_lambdas(cell["source"])):
            name = statement.targets[0].id
            if name in elsewhere and _has_lines_of_its_own(statement, lines):
                lines[statement.lineno - 1 : statement.end_lineno] = _function(name, statement, cell["source"], lines)
                notes.findings.append({"cell": place, "line": statement.lineno, "kind": "translated", "text": f"def {name}"})
        cell["source"] = "\n".join(lines)


def _named_lambdas(source):
    return [
        node
        for node in cell_tree(source).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    ]


def _has_lines_of_its_own(statement, lines):
    """And says the same in the text as it was written and as it was read; a comment may follow it."""
    rest = _behind(statement, lines)
    name = statement.targets[0].id
    return statement.col_offset == 0 and lines[statement.lineno - 1].startswith(name) and (not rest.strip() or rest.lstrip().startswith("#"))


def _behind(statement, lines):
    last = lines[statement.end_lineno - 1].encode()
    return last[statement.end_col_offset :].decode()


def _function(name, statement, source, lines):
    body = ast.get_source_segment(source, statement.value.body)
    given = f"({body})" if "\n" in body or isinstance(statement.value.body, _IN_BRACKETS) else body
    return [f"def {name}({ast.unparse(statement.value.args)}):", *f"    return {given}{_behind(statement, lines)}".split("\n")]
