"""A result on disk and as text: an Arrow stream that Python cells read as a table, and the first rows in markdown."""

import hashlib
import os

from svc_engine.browsing.shown import python_values
from svc_engine.data import require

_TAGS = {b"svc.arrow.shape": b"table", b"svc.arrow.source": b"pyarrow.Table"}
_SHOWN = 5
_LONGEST = 200


def keep(table, file, shown=_SHOWN):
    """Writes the table to `file` and tells what it is."""
    pa = require("pyarrow")
    ipc = require("pyarrow.ipc")
    tagged = table.replace_schema_metadata({**(table.schema.metadata or {}), **_TAGS})
    with pa.OSFile(file, "wb") as stream, ipc.new_stream(stream, tagged.schema) as writer:
        writer.write_table(tagged)
    return {
        "bytes": os.path.getsize(file),
        "sha256": _digest(file),
        "rows": table.num_rows,
        "columns": table.column_names,
        "markdown": _markdown(table, shown),
    }


def shown_rows(table):
    """A few rows as people look at them: exact texts, cut where they are long."""
    columns = [python_values(column) for column in table.columns]  # by place: names may repeat
    return {
        "columns": [{"name": field.name, "type": str(field.type)} for field in table.schema],
        "rows": [[None if value is None else _cut(value) for value in row] for row in zip(*columns)],
    }


def _cut(value):
    text = value[:_LONGEST].hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _digest(file):
    with open(file, "rb") as source:
        digest = hashlib.sha256()
        while chunk := source.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _markdown(table, shown):
    lines = [f"{table.num_rows} rows × {table.num_columns} cols"]
    if table.num_columns > 0:
        lines += ["", _row(table.column_names), _row(["---"] * table.num_columns)]
        first = [python_values(column) for column in table.slice(0, shown).columns]  # by place: names may repeat
        lines += [_row([_text(value) for value in row]) for row in zip(*first)]
    if table.num_rows > shown:
        lines += ["", f"… {table.num_rows - shown} more rows"]
    return "\n".join(lines)


def _row(cells):
    return f"| {' | '.join(cells)} |"


def _text(value):
    return "NULL" if value is None else str(value)
