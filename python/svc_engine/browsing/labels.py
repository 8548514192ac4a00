"""What pandas calls the rows and columns of a frame: its index, levels of both, and its words for what is missing.

Arrow keeps the notes of pandas with the schema. Where there are none, or none that can be read, a table has plain columns.
"""

import ast
import json
import re

from svc_engine.browsing.unique_names import heads_in

_NOTES = b"pandas"
_SOURCE = b"svc.arrow.source"
_MASKED = re.compile(r"(U?Int\d+|Float\d+|boolean|string)\b|.*\[pyarrow\]$")
_MOMENT = re.compile(r"(datetime|timedelta)64|period")


def labels_of(schema):
    """`{index, heads, levels, missing, types, source}`.

    index: in order, `{name, column}` of a stored level or `{name, start, step}` of one that is counted. heads: the labels of
    each column, one for each level. levels: the names of these. missing: the word of each column for nothing.
    """
    notes = _notes(schema)
    names = schema.names
    levels = [_text(level.get("name")) for level in notes.get("column_indexes", [])] or [None]
    columns = _notes_of_columns(notes, names)
    heads = heads_in(schema)
    return {
        "index": [level for level in (_index_level(one, names, columns) for one in notes.get("index_columns", [])) if level],
        "heads": [_head(name, len(levels)) for name in names] if heads is None else [[head] for head in heads],
        "levels": levels,
        "missing": [_missing(columns.get(name, {}).get("numpy_type")) for name in names],
        "source": (schema.metadata or {}).get(_SOURCE, b"").decode() or None,
        "types": [str(kind) for kind in schema.types],
    }


def _notes(schema):
    try:
        notes = json.loads((schema.metadata or {}).get(_NOTES, b"{}"))
    except ValueError:
        return {}
    return notes if isinstance(notes, dict) else {}


def _notes_of_columns(notes, names):
    """By place where there are as many as columns: names may have been changed since."""
    columns = notes.get("columns", [])
    if len(columns) == len(names):
        return dict(zip(names, columns))
    return {column.get("field_name"): column for column in columns}


def _index_level(level, names, columns):
    if isinstance(level, dict):
        return {"name": _text(level.get("name")), "start": level.get("start", 0), "step": level.get("step", 1)}
    if level not in names:
        return None
    return {"name": _text(columns.get(level, {}).get("name")), "column": names.index(level)}


def _head(name, levels):
    """Labels of several levels are stored as the text of a tuple."""
    if levels > 1:
        try:
            parts = ast.literal_eval(name)
            if isinstance(parts, tuple) and len(parts) == levels:
                return [str(part) for part in parts]
        except (ValueError, SyntaxError):
            pass
    return [name]


def _missing(numpy_type):
    if not isinstance(numpy_type, str):
        return "null"
    if _MASKED.match(numpy_type):
        return "<NA>"
    if _MOMENT.match(numpy_type):
        return "NaT"
    return "None" if numpy_type == "object" else "NaN"


def _text(name):
    return None if name is None else str(name)
