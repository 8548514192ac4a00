"""A view of a table: the rows that filters and a search leave, in the order that was asked for.

Only the columns that are filtered, searched and sorted by are computed with; of the others the rows that are wanted are
taken when they are wanted.
"""

import functools

from svc_engine.browsing.columns import plain, rows_of, sortable, takeable, text, value_kind
from svc_engine.browsing.kept import is_kept, kept_rows, rows_of_shorter_search
from svc_engine.browsing.searching import search_mask
from svc_engine.browsing.shown import shown_values
from svc_engine.browsing.sorting import first_places, sorted_places
from svc_engine.browsing.values import coerced, nested, uuid_scalar
from svc_engine.data import require

_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "lt": "less",
    "le": "less_equal",
}


class View:
    """`indices` are the rows of the table that it shows, in order; None stands for all of them as they lie. Where only the
    first ones are known, `total` says how many there are."""

    def __init__(self, table, indices, total=None):
        self.table = table
        self.indices = indices
        rows = table.num_rows if indices is None else len(indices)
        self.total = rows if total is None else total

    def columns(self, offset, limit):
        if self.indices is None:
            return [column.slice(offset, limit) for column in self.table.columns]
        wanted = self.indices.slice(offset, limit)
        return [rows_of(column, wanted) for column in self._takeable]

    def positions(self, offset, limit):
        """Where these rows lie in the table."""
        if self.indices is None:
            return list(range(min(offset, self.total), min(offset + limit, self.total)))
        return self.indices.slice(offset, limit).to_pylist()

    def whole(self):
        """The view as one table; None where its texts are more than one array holds."""
        arrow = require("pyarrow")
        if self.indices is None:
            return self.table
        try:
            columns = [rows_of(column, self.indices) for column in self._takeable]
        except arrow.ArrowInvalid:
            return None
        return arrow.Table.from_arrays(columns, names=self.table.column_names) if columns else self.table

    @functools.cached_property
    def _takeable(self):
        return [takeable(column) for column in self.table.columns]


_LEFT = ("filters", "search")
_ORDERED = (*_LEFT, "sortBy", "sortDir")


def select(table, params):
    """Filters (all must hold), then search, then sort. With a `limit`, the order may be known for the rows up to it alone."""
    rows = kept_rows(params, _LEFT, lambda: _left(table, params))
    if params.get("sortBy") not in table.column_names:
        return View(table, rows)
    direction = "descending" if params.get("sortDir") == "desc" else "ascending"

    def within():
        column = sortable(params["sortBy"], column_of(table, params["sortBy"]))
        return column if rows is None else column.take(rows)

    def whole():
        places = sorted_places(within(), direction)
        return places if rows is None else rows.take(places)

    # The first page is wanted at once; who goes on waits for the whole order, once.
    if params.get("offset") == 0 and not is_kept(params, _ORDERED):
        column = within()
        places = first_places(column, direction, params["limit"])
        if places is not None:
            return View(table, places if rows is None else rows.take(places), len(column))
    return View(table, kept_rows(params, _ORDERED, whole))


def _left(table, params):
    compute = require("pyarrow.compute")
    shorter = rows_of_shorter_search(params) if params.get("search") else None
    if shorter is not None and len(shorter) * 4 < table.num_rows:
        return shorter.filter(search_mask(_taken(table, shorter), params["search"]).combine_chunks())
    mask = None
    for condition in params.get("filters", []):
        mask = _both(mask, _condition_mask(table, condition))
    if params.get("search"):
        mask = _both(mask, search_mask(table, params["search"]))
    return None if mask is None else compute.indices_nonzero(mask)


def _taken(table, rows):
    columns = [rows_of(takeable(column), rows) for column in table.columns]
    return require("pyarrow").Table.from_arrays(columns, names=table.column_names)


def column_of(table, name):
    return table.column(table.column_names.index(name))


def _both(mask, other):
    compute = require("pyarrow.compute")
    if mask is None or other is None:
        return other if mask is None else mask
    return compute.and_(mask, other)


def _condition_mask(table, condition):
    """A mask for one condition, or None when it says nothing about this table."""
    compute = require("pyarrow.compute")
    name, operation = condition.get("col"), condition.get("op")
    if name not in table.column_names:
        return None
    column = column_of(table, name)
    if operation in ("is_null", "not_null"):
        # Asked of the plain form: runs and unions keep their nulls inside.
        is_null = compute.is_null(_decoded(column))
        return is_null if operation == "is_null" else compute.invert(is_null)
    if operation == "contains":
        mask = compute.match_substring(text(column), str(condition.get("value", "")), ignore_case=True)
    elif operation == "between":
        low, high = _compared(column, "ge", condition.get("value")), _compared(column, "le", condition.get("value2"))
        mask = None if low is None or high is None else compute.and_(low, high)
    else:
        mask = _compared(column, operation, condition.get("value"))
    return None if mask is None else compute.fill_null(mask, False)


def _decoded(column):
    return plain(column) if require("pyarrow").types.is_run_end_encoded(column.type) else column


def coerced_for(column, value):
    """The value as one of this column, or None."""
    if getattr(column.type, "extension_name", None) == "arrow.uuid":
        return uuid_scalar(value)
    return coerced(value, value_kind(column))


def _compared(column, operation, value):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    function = _COMPARISONS.get(operation)
    if function is None or value is None:
        return None
    if arrow.types.is_null(value_kind(column)):
        return _nowhere(column)
    asked = coerced_for(column, value)
    try:
        if asked is not None:
            return getattr(compute, function)(plain(column), asked)
    except arrow.ArrowNotImplementedError:
        pass
    return _shown_as(column, operation, value) if not _is_comparable(value_kind(column)) else None


def _shown_as(column, operation, value):
    """Lists, maps, structs and the like have no order, but what a page shows of them can be asked for."""
    if operation not in ("eq", "ne"):
        return None
    wanted, is_wanted = (nested(value), value), operation == "eq"
    shown = zip(shown_values(column), shown_values(column, exact=True))
    matches = [(plain in wanted or exact in wanted) == is_wanted for plain, exact in shown]
    return require("pyarrow.compute").and_(_mask(matches), column.is_valid())


def _is_comparable(kind):
    arrow = require("pyarrow")
    return not (arrow.types.is_nested(kind) or arrow.types.is_interval(kind))


def _mask(values):
    arrow = require("pyarrow")
    return arrow.chunked_array([arrow.array(values, arrow.bool_())])


def _nowhere(table_or_column):
    arrow = require("pyarrow")
    return arrow.chunked_array([arrow.repeat(False, len(table_or_column))])
