"""The part of a source that its meaning depends on, as a digest: comments, layout and quote style do not reach it.

The digest is taken over a rendering of the syntax tree of our own rather than `ast.unparse` or `ast.dump`: it is the
same for every Python version that parses the source alike, it cannot fail on deep trees, and it is several times faster.
"""

import ast

try:
    from _sha2 import sha256  # hashlib would load OpenSSL: twice the memory of this whole process
except ImportError:
    try:
        from _sha256 import sha256  # before 3.12
    except ImportError:
        from hashlib import sha256  # a Python that was built without its own

# `ctx` follows from the place, `kind` is the u of u'…', the others hold comments.
MEANINGLESS_FIELDS = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


def digest_of_tree(tree, means_more=False):
    """`means_more`: what was kept of such sources before, with another meaning, is not found any more."""
    return _digest(("python filled\0" if means_more else "python\0") + render(tree))


def digest_of_text(source):
    """For what is not Python, or not yet: trailing blanks and the blank lines around do not count."""
    return _digest("text\0" + "\n".join(line.rstrip() for line in source.split("\n")).strip())


def _digest(text):
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def render(tree):
    """One line for every node and every field that is not empty; new Pythons add empty fields to old nodes.

    Counts take the place of closing brackets, so that a tree can be told from its lines although its nodes come in
    the order of a stack.
    """
    lines = []
    write = lines.append
    pending = [tree]
    while pending:
        item = pending.pop()
        kind = type(item)
        if kind is ast.Name:
            write("Name " + item.id)
        elif kind is ast.Constant:
            write("Constant " + _scalar(item.value))
        elif not isinstance(item, ast.AST):
            write(_scalar(item))
        else:
            write(kind.__name__)
            _render_fields(write, pending, item, FIELDS.get(kind) or _fields(kind))
    return "\n".join(lines)


def _render_fields(write, pending, node, fields):
    for field in fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            write(field)
            pending.append(value)
        elif isinstance(value, list):
            if value:
                write(f"{field} {len(value)}")
                pending.extend(value)
        elif value is not None:
            write(field + " " + _scalar(value))


FIELDS = {}


def _fields(kind):
    FIELDS[kind] = tuple(field for field in kind._fields if field not in MEANINGLESS_FIELDS)
    return FIELDS[kind]


def _scalar(value):
    # Not repr for integers: it refuses those with thousands of digits.
    return hex(value) if type(value) is int else repr(value)
