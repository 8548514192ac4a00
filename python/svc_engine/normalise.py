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


def digest_of_tree(tree):
    return _digest("python\0" + render(tree))


def digest_of_text(source):
    """For what is not Python, or not yet: trailing blanks and the blank lines around do not count."""
    return _digest("text\0" + "\n".join(line.rstrip() for line in source.split("\n")).strip())


def _digest(text):
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def render(tree):
    """`Name(id=…,…)` for every node, without the fields that are empty: new Pythons add such fields to old nodes."""
    written = []
    pending = [tree]
    while pending:
        item = pending.pop()
        kind = type(item)
        if kind is str:
            written.append(item)
        elif kind is ast.Constant:
            written.append(_constant(item.value))
        elif kind is list:
            written.append("[")
            pending.append("]")
            pending.extend("None," if part is None else _or_literal(part) for part in reversed(item))
        else:
            written.append(kind.__name__ + "(")
            pending.append(")")
            _push_fields(pending, item)
    return "".join(written)


def _push_fields(pending, node):
    for field in reversed(node._fields):
        if field in MEANINGLESS_FIELDS:
            continue
        value = getattr(node, field, None)
        if value is None or value == []:
            continue
        pending.append(value if isinstance(value, (ast.AST, list)) else _constant(value))
        pending.append(field + "=")


def _or_literal(part):
    return part if isinstance(part, ast.AST) else _constant(part)


def _constant(value):
    # Not repr for integers: it refuses those with thousands of digits.
    return (hex(value) if type(value) is int else repr(value)) + ","
