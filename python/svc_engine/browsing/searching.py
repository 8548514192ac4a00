"""Which rows of a table hold a text in any of their columns.

Most of the time goes into writing numbers and moments as texts, so it is not done for columns whose texts cannot hold what
is searched for, and once for each value of columns that have few. The rest is done piece by piece, on all cores: Arrow
computes outside of Python's lock.
"""

import concurrent.futures
import re

from svc_engine.browsing.columns import is_number, is_temporal, is_text, plain, text, value_kind
from svc_engine.data import require

_PIECE_ROWS = 1 << 19
_SAMPLE_ROWS = 1 << 12
_NOTHING = re.compile(r"(?!)")
_WHOLE = re.compile(r"-?\d*")
_NUMBER = re.compile(r"[+-]?\d*\.?\d*(?:e[+-]?\d*)?|-?[infa]*")
_TRUTH = re.compile(r"[truefals]*")
_MOMENT = re.compile(r"[\d:. +-]*")


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
    encoded = _encoded(column)
    if encoded is None:
        return compute.fill_null(_holds(text(column), wanted), False).combine_chunks()
    found = [_holds(text(_chunked(piece.dictionary)), wanted).combine_chunks().take(piece.indices) for piece in encoded.chunks]
    return compute.fill_null(_chunked(*found), False).combine_chunks()


def _holds(texts, wanted):
    """Without regard to case, which is much sooner told where there are no letters but those of English."""
    compute = require("pyarrow.compute")
    if wanted.lower() == wanted.upper():
        return compute.match_substring(texts, wanted)
    if wanted.isascii() and compute.all(compute.string_is_ascii(texts)).as_py():
        return compute.match_substring(compute.ascii_lower(texts), wanted.lower())
    return compute.match_substring(texts, wanted, ignore_case=True)


def _encoded(column):
    """The column by its distinct values, where the first rows say that these are few; None where it is not worth it."""
    compute = require("pyarrow.compute")
    kind = column.type
    if len(column) <= _SAMPLE_ROWS or not (is_number(kind) or is_temporal(kind) or is_text(kind)):
        return None
    if compute.count_distinct(plain(column.slice(0, _SAMPLE_ROWS))).as_py() * 4 > _SAMPLE_ROWS:
        return None
    return compute.dictionary_encode(plain(column))


def _chunked(*pieces):
    return require("pyarrow").chunked_array(pieces)


def _any(masks):
    compute = require("pyarrow.compute")
    found = masks[0]
    for mask in masks[1:]:
        found = compute.or_(found, mask)
    return found


def _may_hold(column, wanted):
    form = _form(value_kind(column))
    # Without regard to case, letters of other alphabets may mean those of English: `ſ` an s.
    return form is None or not wanted.isascii() or form.fullmatch(wanted.lower()) is not None


def _form(kind):
    """What a part of a text of this type looks like, in lower case; None where that is not known."""
    types = require("pyarrow").types
    if types.is_null(kind):
        return _NOTHING
    if types.is_integer(kind):
        return _WHOLE
    if is_number(kind):
        return _NUMBER
    if types.is_boolean(kind):
        return _TRUTH
    if types.is_date(kind) or types.is_time(kind) or (types.is_timestamp(kind) and kind.tz is None):
        return _MOMENT
    return None
