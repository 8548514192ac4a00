"""Which rows of a table hold a text in any of their columns.

Most of the time goes into writing numbers and moments as texts, so it is not done for columns whose texts cannot hold what
is searched for. The rest is done piece by piece, on all cores: Arrow computes outside of Python's lock.
"""

import concurrent.futures

from svc_engine.browsing.columns import is_number, text, value_kind
from svc_engine.data import require

_PIECE_ROWS = 1 << 19
_DIGITS = "0123456789"


def search_mask(table, wanted):
    arrow = require("pyarrow")
    columns = [column for column in table.columns if _may_hold(column, wanted)]
    starts = range(0, table.num_rows, _PIECE_ROWS)
    if not columns or not starts:
        return arrow.chunked_array([arrow.repeat(False, table.num_rows)])
    with concurrent.futures.ThreadPoolExecutor(arrow.cpu_count()) as pool:
        pieces = [
            [pool.submit(_hits, column.slice(start, _PIECE_ROWS), wanted) for column in columns] for start in starts
        ]
        return arrow.chunked_array([_any([hits.result() for hits in piece]) for piece in pieces])


def _hits(column, wanted):
    compute = require("pyarrow.compute")
    has_case = wanted.lower() != wanted.upper()
    found = compute.match_substring(text(column), wanted, ignore_case=has_case)
    return compute.fill_null(found, False).combine_chunks()


def _any(masks):
    compute = require("pyarrow.compute")
    found = masks[0]
    for mask in masks[1:]:
        found = compute.or_(found, mask)
    return found


def _may_hold(column, wanted):
    signs = _signs(value_kind(column))
    return signs is None or set(wanted.lower()) <= set(signs)


def _signs(kind):
    """All that texts of this type are made of, in lower case; None where that is not known."""
    types = require("pyarrow").types
    if types.is_null(kind):
        return ""
    if types.is_integer(kind):
        return _DIGITS + "-"
    if is_number(kind):
        return _DIGITS + "-+.einfa"
    if types.is_boolean(kind):
        return "truefals"
    if types.is_date(kind) or types.is_time(kind) or (types.is_timestamp(kind) and kind.tz is None):
        return _DIGITS + "-+:. "
    return None
