"""Which name an in-place change goes to: `df` in `df.loc[mask, 'a'] = 0` and in `df.drop('a', inplace=True)`.

Only what the syntax shows counts. `xs.append(1)` may change `xs`, but nothing says so: it only reads.
"""

import ast


def root_name(node):
    """The name at the root of a chain of attributes and subscripts, or None when the chain starts elsewhere."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def asked_name(node):
    """The same, also through what methods of it give: `page` in `page.add_run('x').bold = True`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def changed_by_call(call):
    """The name that `name.method(…, inplace=True)` changes; a flag that is not the literal True does not count."""
    if isinstance(call.func, ast.Attribute):
        for keyword in call.keywords:
            if keyword.arg == "inplace" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
                return root_name(call.func.value)
    return None
