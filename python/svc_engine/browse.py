"""Looks into a stored table: a page of it, filtered, searched and sorted; a summary by column; an export to a file.

The file is mapped, not read: a page of a large table touches the columns that it filters and sorts by, and the rows
that it shows. Filters that make no sense for a column are ignored, as the protocol has it.
"""

import datetime
import decimal
import math
import mmap

from svc_engine.data import require

SHAPE = b"svc.arrow.shape"


def browse(params):
    """`{pageable, columns, rows, total}` of a view; rows hold JSON values, nulls as empty text."""
    table = open_table(params["file"])
    if table is None:
        return {"pageable": False, "columns": [], "rows": [], "total": 0}
    view = select(table, params)
    page = view.slice(params["offset"], params["limit"])
    columns = [[shown(value) for value in column.to_pylist()] for column in page.columns]
    return {
        "pageable": True,
        "columns": view.column_names,
        "rows": [list(row) for row in zip(*columns)] if columns else [],
        "total": view.num_rows,
    }


def summarise(params):
    """Type, nulls, distinct values and bounds of every column; with `bins`, also how its values spread."""
    table = open_table(params["file"])
    if table is None:
        return {"pageable": False, "columns": [], "total": 0}
    columns = [column_summary(name, column) for name, column in zip(table.column_names, table.columns)]
    if params["bins"] > 0:
        columns = [
            {**summary, "histogram": histogram(column, params["bins"])} for summary, column in zip(columns, table.columns)
        ]
    return {"pageable": True, "columns": columns, "total": table.num_rows}


def export(params):
    """Writes the view to `target` as `csv` or `parquet`; false when the value is no table."""
    table = open_table(params["file"])
    if table is None:
        return {"exported": False}
    view = select(table, params)
    if params["format"] == "csv":
        require("pyarrow.csv").write_csv(view, params["target"])
    else:
        require("pyarrow.parquet").write_table(view, params["target"])
    return {"exported": True}


def open_table(path):
    """The table in a file, or None when the file holds another kind of value."""
    arrow = require("pyarrow")
    ipc = require("pyarrow.ipc")
    with open(path, "rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        table = ipc.open_stream(arrow.BufferReader(arrow.py_buffer(memory))).read_all()
    except arrow.ArrowInvalid:
        return None
    shape = (table.schema.metadata or {}).get(SHAPE, b"table")
    return table.replace_schema_metadata(None) if shape in (b"table", b"series") else None


def select(table, params):
    """Filters (all must hold), then search, then sort."""
    compute = require("pyarrow.compute")
    for condition in params.get("filters", []):
        mask = condition_mask(table, condition, compute)
        if mask is not None:
            table = table.filter(mask, null_selection_behavior="drop")
    if params.get("search"):
        table = table.filter(search_mask(table, params["search"], compute))
    if params.get("sortBy") in table.column_names:
        order = "descending" if params.get("sortDir") == "desc" else "ascending"
        keys = [(params["sortBy"], order)]
        table = table.take(compute.sort_indices(table, sort_keys=keys, null_placement="at_end"))
    return table


COMPARISONS = {"eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal", "lt": "less", "le": "less_equal"}


def condition_mask(table, condition, compute):
    """A mask for one condition, or None when it says nothing about this table."""
    name, operation = condition.get("col"), condition.get("op")
    if name not in table.column_names:
        return None
    column = table.column(name)
    if operation == "is_null":
        return compute.is_null(column)
    if operation == "not_null":
        return compute.is_valid(column)
    if operation == "contains":
        text = as_text(column, compute)
        return None if text is None else compute.match_substring(text, str(condition.get("value", "")), ignore_case=True)
    low = coerced(condition.get("value"), column.type)
    if low is None:
        return None
    if operation == "between":
        high = coerced(condition.get("value2"), column.type)
        if high is None:
            return None
        return compute.and_(compute.greater_equal(column, low), compute.less_equal(column, high))
    function = COMPARISONS.get(operation)
    return None if function is None else getattr(compute, function)(column, low)


def search_mask(table, text, compute):
    arrow = require("pyarrow")
    found = arrow.chunked_array([arrow.array([False] * table.num_rows)])
    for column in table.columns:
        cast = as_text(column, compute)
        if cast is not None:
            hit = compute.fill_null(compute.match_substring(cast, text, ignore_case=True), False)
            found = compute.or_(found, hit)
    return found


def as_text(column, compute):
    arrow = require("pyarrow")
    try:
        return compute.cast(column, arrow.string())
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        return None


def coerced(value, kind):
    """The value as a scalar of the column's type, or None when it cannot be one."""
    arrow = require("pyarrow")
    if value is None:
        return None
    try:
        if arrow.types.is_integer(kind):
            return arrow.scalar(integer(value), kind)
        if arrow.types.is_decimal(kind):
            return arrow.scalar(decimal.Decimal(str(value))).cast(kind)
        if arrow.types.is_floating(kind):
            return arrow.scalar(float(value)).cast(kind)
        if arrow.types.is_timestamp(kind) or arrow.types.is_date(kind):
            return arrow.scalar(datetime.datetime.fromisoformat(str(value))).cast(kind)
        if arrow.types.is_boolean(kind):
            return arrow.scalar(value if isinstance(value, bool) else str(value).lower() == "true")
        return arrow.scalar(str(value)).cast(kind)
    except (ValueError, TypeError, ArithmeticError, arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        return None


def integer(value):
    """An integer to its last digit, also from text; of other numbers the whole part."""
    try:
        return int(value)
    except ValueError:
        return math.trunc(float(value))


def column_summary(name, column):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    kind = column.type
    ordered = arrow.types.is_integer(kind) or arrow.types.is_floating(kind)
    ordered = ordered or arrow.types.is_decimal(kind) or arrow.types.is_temporal(kind)
    bounds = compute.min_max(column).as_py() if ordered and len(column) > column.null_count else {}
    return {
        "name": name,
        "dtype": str(kind),
        "nulls": column.null_count,
        "distinct": distinct_count(column, compute),
        "min": shown(bounds["min"]) if bounds else None,
        "max": shown(bounds["max"]) if bounds else None,
    }


def histogram(column, bins):
    """How many values lie in each of `bins` equal parts between the bounds; None for what has no numbers."""
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    try:
        kind = column.type
        if arrow.types.is_temporal(kind):
            column = column.cast("int64" if kind.bit_width == 64 else "int32")
        elif not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_decimal(kind)):
            return None
        numbers = compute.cast(column, "float64", safe=False).drop_null()
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


def distinct_count(column, compute):
    arrow = require("pyarrow")
    try:
        return compute.count_distinct(column, mode="only_valid").as_py()
    except arrow.ArrowNotImplementedError:
        return None


def shown(value):
    """A value as JSON carries it; what JSON has no word for goes as text, and nothing as empty text."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time, decimal.Decimal)):
        return str(value)
    if isinstance(value, list):
        return [shown(one) for one in value]
    if isinstance(value, dict):
        return {str(key): shown(one) for key, one in value.items()}
    return str(value)
