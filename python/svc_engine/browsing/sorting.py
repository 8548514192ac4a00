"""The order of a column's values: of all rows, or, much sooner, of the first ones."""

from svc_engine.data import require


def sorted_places(column, direction):
    """Where the rows lie, in order: equal ones as they lie, those without a value at the end."""
    keys = [("", direction, "at_end")]
    return require("pyarrow.compute").sort_indices(column, sort_keys=keys)


def first_places(column, direction, count):
    """The first `count` of `sorted_places`; None where a part of the rows does not tell them.

    The value at which they end is found in one pass. All rows up to that value are sorted then: which of several equal rows
    come first must not depend on how many were asked for.
    """
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    kind = column.type
    if count * 4 > len(column) or arrow.types.is_null(kind) or arrow.types.is_boolean(kind):
        return None
    try:
        valid = column.filter(compute.is_finite(column)) if arrow.types.is_floating(kind) else column.drop_null()
        if len(valid) < count:
            return None
        # Infinities stand at the ends, where they are not looked for above.
        if arrow.types.is_floating(kind) and compute.any(compute.is_inf(column)).as_py():
            return None
        last = valid.take(compute.select_k_unstable(valid, count, [("", direction)])[-1:])[0]
        reaches = compute.less_equal if direction == "ascending" else compute.greater_equal
        rows = compute.indices_nonzero(compute.fill_null(reaches(column, last), False))
        if len(rows) * 2 > len(column):
            return None
        return rows.take(sorted_places(column.take(rows), direction)).slice(0, count)
    except (arrow.ArrowNotImplementedError, arrow.ArrowInvalid, TypeError):
        return None
