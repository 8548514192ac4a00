"""Values of upstream cells as parameters of a query. They are read, never unpickled, and only of types that every
database knows."""

import datetime
import decimal
import json
import re
import uuid

from svc_engine.data import require

_ACCEPTED = (
    type(None), bool, int, float, str, bytes, decimal.Decimal, uuid.UUID,
    datetime.datetime, datetime.date, datetime.time,
)  # fmt: skip
_UNNAMED = re.compile(r"__index_level_\d+__")
_NAMES = "None, bool, int, float, str, bytes, Decimal, UUID, datetime, date, time"


class NotBindable(Exception):
    pass


def read_binds(specs):
    """Name → value of every parameter."""
    return {name: _checked(name, spec) for name, spec in specs.items()}


def _checked(name, spec):
    value, kind = _read(spec)
    if type(value) not in _ACCEPTED or kind is not None:
        raise NotBindable(f":{name} is a {kind or type(value).__name__}; a parameter is one of {_NAMES}")
    return value


def _read(spec):
    """The value, and what it is called when it cannot be one."""
    content, file = spec["contentType"], spec["file"]
    if content == "json/object":
        with open(file, encoding="utf-8") as source:
            return json.load(source), None
    if content == "arrow/ipc":
        table = read_table(file)
        tags = table.schema.metadata or {}
        if tags.get(b"svc.arrow.shape") != b"scalar":
            return None, "table" if tags.get(b"svc.arrow.shape", b"table") == b"table" else "array"
        value = table.column(0)[0].as_py()
        kind = tags.get(b"svc.arrow.scalar.type")
        return (uuid.UUID(bytes=value), None) if kind == b"uuid" else (value, None)
    return None, "pickled object, which only Python can read," if "pickle" in content else content


def read_table(file):
    """Not copied: its columns lie in the mapping of the file."""
    with require("pyarrow").memory_map(file) as source:
        return require("pyarrow.ipc").open_stream(source).read_all()


def read_frame(file):
    """The same of a value that a query may read as a table; None where it is none. Rows without named labels have columns only."""
    table = read_table(file)
    if (table.schema.metadata or {}).get(b"svc.arrow.shape", b"table") != b"table":
        return None
    return table.drop_columns([name for name in table.column_names if _UNNAMED.fullmatch(name)])
