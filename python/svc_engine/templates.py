"""Fills the `{{ … }}` of a prompt with stored values as text. Values are only read, never run: a name, a public attribute
that is no method, or `head()`, `tail()`, `describe()` of a table. What is anything else stays as it was written.
"""

import ast
import json
import re

from svc_engine.prompt_tables import Table, read_arrow

_PLACE = re.compile(r"\{\{([^{}]+)\}\}")  # no place holds another: a text full of beginnings is read once
_CHARACTERS = 8000  # about 2000 tokens for each value
_OPAQUE = "<a Python object that prompt cells cannot read>"


class _Unknown(Exception):
    pass


def render(params):
    """`{text, opaque}`: the prompt, and the names of values that could not be shown."""
    inputs, values, opaque = params["inputs"], {}, []

    def value_of(name):
        if name not in inputs:
            raise _Unknown
        if name not in values:
            values[name] = _read(inputs[name])
        return values[name]

    def fill(match):
        asked = match[1].strip()
        try:
            value = _evaluate(ast.parse(asked, mode="eval").body, value_of)
        except (_Unknown, SyntaxError, ValueError, RecursionError, MemoryError, AttributeError):
            return match[0]
        if value is _OPAQUE:
            opaque.append(asked)
        return _text(value)

    text = _PLACE.sub(fill, params["template"])
    return {"text": text, "opaque": sorted(set(opaque))}


def _read(spec):
    kind, file = spec["content_type"], spec["file"]
    if kind == "arrow/ipc":
        return read_arrow(file)
    if kind == "sweep/dict":
        return {name: _read(variant) for name, variant in spec["variants"].items()}
    if kind == "json/object":
        with open(file, encoding="utf-8") as source:
            return json.load(source)
    if kind.startswith("text/"):
        with open(file, encoding="utf-8") as source:
            return source.read()
    return _OPAQUE


def _evaluate(node, value_of):
    if isinstance(node, ast.Name):
        return value_of(node.id)
    if isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
        value = getattr(_evaluate(node.value, value_of), node.attr)
        if callable(value):
            raise _Unknown
        return value
    if isinstance(node, ast.Call) and not node.args and not node.keywords and isinstance(node.func, ast.Attribute):
        table = _evaluate(node.func.value, value_of)
        if isinstance(table, Table) and node.func.attr in ("head", "tail", "describe"):
            return getattr(table, node.func.attr)()
    raise _Unknown


def _text(value):
    if isinstance(value, Table):
        return value.text(_CHARACTERS)
    if isinstance(value, (dict, list, tuple)):
        text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    else:
        text = str(value)
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}\n... (truncated)"
