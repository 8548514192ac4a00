"""One column of a view: how its values spread, and which are the most frequent."""

import math

from svc_engine.browsing.columns import is_number, plain, rows_of, takeable
from svc_engine.browsing.shown import shown_values
from svc_engine.browsing.summary import column_summary
from svc_engine.data import require


def column_details(name, column, rows, most):
    column = column if rows is None else rows_of(takeable(column), rows)
    facts = column_summary(name, column)
    return {
        "rows": len(column),
        "missing": facts["nulls"],
        **{key: facts[key] for key in ("distinct", "min", "max")},
        **_spread(plain(column)),
        "values": _most_frequent(column, most),
    }


def _spread(values):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    nothing = {"mean": None, "deviation": None, "quartiles": None}
    if not is_number(values.type):
        return nothing
    try:
        numbers = compute.cast(values, "float64", safe=False).drop_null()
        numbers = numbers.filter(compute.is_finite(numbers))
        if len(numbers) == 0:
            return nothing
        found = {
            "mean": compute.mean(numbers).as_py(),
            "deviation": compute.stddev(numbers, ddof=1).as_py(),
            "quartiles": compute.quantile(numbers, q=[0.25, 0.5, 0.75]).to_pylist(),
        }
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        return nothing
    # A sum of large numbers may leave what JSON can say.
    return {key: value if isinstance(value, list) or _can_be_said(value) else None for key, value in found.items()}


def _can_be_said(value):
    return value is not None and math.isfinite(value)


def _most_frequent(column, most):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    values = plain(column)
    try:
        counted = compute.value_counts(values)
    except (arrow.ArrowNotImplementedError, arrow.ArrowInvalid):
        return []
    counts = counted.field("counts")
    order = compute.sort_indices(counts, sort_keys=[("", "descending")]).slice(0, most)
    found = shown_values(counted.field("values").take(order), exact=True)
    return [{"value": value, "count": count} for value, count in zip(found, counts.take(order).to_pylist())]
