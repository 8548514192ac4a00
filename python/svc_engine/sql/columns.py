"""Arrow columns from rows of Python values, where the database does not say what a column holds."""

from svc_engine.data import require


def from_rows(names, rows, types=None):
    """`types` holds an Arrow type for each column, or None where its values decide."""
    pa = require("pyarrow")
    values = list(zip(*rows)) if rows else [()] * len(names)
    arrays = [
        _array(pa, list(column), (types or [None] * len(names))[index]) for index, column in enumerate(values)
    ]
    return pa.Table.from_arrays(arrays, names=names)


def _array(pa, values, kind):
    if kind is not None:
        return pa.array(values, kind)
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    if len(kinds) > 1:  # a column of several kinds is exact only as text
        return pa.array([_text(value) for value in values], pa.string())
    return pa.array(values)


def _text(value):
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else str(value)
