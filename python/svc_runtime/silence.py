"""A cell whose last expression ends with `;` shows nothing, as in Jupyter. Analysis and runtime ask here, so that both agree."""

import ast


def silence(tree, source):
    """Where the last expression ends with `;`, let the tree end with nothing to show. Its digest differs, as its displays do."""
    if ";" not in source or not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return
    last = tree.body[-1]
    lines = source.encode("utf-8").splitlines()  # columns of a tree count bytes
    rest = lines[last.end_lineno - 1][last.end_col_offset :] if last.end_lineno <= len(lines) else b""
    if rest.lstrip(b" \t)").startswith(b";"):
        tree.body.append(ast.copy_location(ast.Expr(ast.copy_location(ast.Constant(None), last)), last))


def is_silenced(tree):
    """Whether `silence` had something to do."""
    *_, before, last = [None, None, *tree.body]
    is_nothing = isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is None
    return is_nothing and before is not None and (last.lineno, last.col_offset) == (before.lineno, before.col_offset)
