"""Type, nulls, distinct values and bounds of a column, and how its values spread."""

import math

from svc_engine.browsing.columns import is_number, is_temporal, plain, value_kind
from svc_engine.browsing.shown import shown_scalar
from svc_engine.data import require


def column_summary(name, column):
    values = plain(column)
    low, high = _bounds(values)
    return {
        "name": name,
        "dtype": str(column.type),
        "nulls": values.null_count,
        "distinct": _distinct_count(values),
        "min": low,
        "max": high,
    }


def _bounds(values):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    kind = values.type
    if not (is_number(kind) or is_temporal(kind)) or len(values) == values.null_count:
        return None, None
    if arrow.types.is_duration(kind):
        found = compute.min_max(values.cast(arrow.int64()))
        return tuple(shown_scalar(found[side].cast(kind)) for side in ("min", "max"))
    found = compute.min_max(values)
    return shown_scalar(found["min"]), shown_scalar(found["max"])


def _distinct_count(values):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    if arrow.types.is_null(values.type):
        return 0
    try:
        return compute.count_distinct(values, mode="only_valid").as_py()
    except arrow.ArrowNotImplementedError:
        return None


def histogram(column, bins):
    """How many values lie in each of `bins` equal parts between the bounds; None for what has no numbers."""
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    kind = value_kind(column)
    if not (is_number(kind) or is_temporal(kind)):
        return None
    try:
        values = plain(column)
        if is_temporal(kind):
            values = values.cast("int64" if kind.bit_width == 64 else "int32")
        numbers = compute.cast(values, "float64", safe=False).drop_null()
        numbers = numbers.filter(compute.is_finite(numbers))
        low, high = compute.min_max(numbers).as_py().values()
        if low is None or not math.isfinite(high - low):
            return None
        parts = compute.multiply(compute.subtract(numbers, low), bins / (high - low) if high > low else 0.0)
        places = compute.min_element_wise(compute.floor(parts), float(bins - 1))
        counts = [0] * bins
        for one in compute.value_counts(places).to_pylist():
            counts[int(one["values"])] = one["counts"]
        return counts
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        return None
