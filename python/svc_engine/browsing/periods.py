"""Periods of pandas, which Arrow stores as a count of months, weeks or hours: told as pandas writes them."""

import datetime
import re

from svc_engine.browsing.pandas_types import with_told
from svc_engine.data import require

_FREQUENCY = re.compile(r"\d*(Y|A|Q|M|W|D|B|h|H|min|T|s|S|ms|L|us|U|ns|N)(?:-([A-Z]{3}))?$")
_WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_EPOCH = datetime.date(1970, 1, 1)
# Of moments: how many are in a second, and how many characters of `2024-02-07 10:11:12` are told.
_MOMENTS = {
    **dict.fromkeys(("h", "H"), (1 / 3600, 16)),
    **dict.fromkeys(("min", "T"), (1 / 60, 16)),
    **dict.fromkeys(("s", "S"), (1, 19)),
    **dict.fromkeys(("ms", "L"), (1000, 19)),
    **dict.fromkeys(("us", "U"), (10**6, 19)),
    **dict.fromkeys(("ns", "N"), (10**9, 19)),
}


def with_periods(table):
    """The table with text in place of its periods: text that sorts as they do."""
    return with_told(table, b"pandas.period", _teller)


def _teller(notes):
    word = _word_for(notes.get("freq"))
    return None if word is None else lambda column: _told(column, word)


def _word_for(frequency):
    found = _FREQUENCY.match(frequency) if isinstance(frequency, str) else None
    unit, anchor = found.groups() if found else (None, None)
    if unit in _MOMENTS:
        return lambda count: _moment(count, *_MOMENTS[unit])
    return {
        "Y": lambda count: f"{1970 + count:04}",
        "A": lambda count: f"{1970 + count:04}",
        "Q": lambda count: f"{1970 + count // 4:04}Q{count % 4 + 1}",
        "M": lambda count: f"{1970 + count // 12:04}-{count % 12 + 1:02}",
        "D": _day,
        "W": lambda count: _week(count, anchor or "SUN"),
        "B": lambda count: _day(count // 5 * 7 + (count + 3) % 5 - 3 + (7 if count % 5 > 1 else 0)),
    }.get(unit)


def _told(column, word):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    counts = column.combine_chunks() if isinstance(column, arrow.ChunkedArray) else column
    known = counts.unique()
    words = arrow.array([None if count is None else _safely(word, count) for count in known.to_pylist()], arrow.string())
    return words.take(compute.index_in(counts, known))


def _safely(word, count):
    try:
        return word(count)
    except (OverflowError, ValueError):
        return str(count)  # before the first year, or after the last


def _day(count):
    return str(_EPOCH + datetime.timedelta(days=count))


def _week(count, anchor):
    last = count * 7 - 4 + (_WEEKDAYS.index(anchor) - 6) % 7
    return f"{_day(last - 6)}/{_day(last)}"


def _moment(count, per_second, characters):
    seconds, rest = divmod(count, per_second) if per_second >= 1 else (round(count / per_second), 0)
    text = str(datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(seconds)))[:characters]
    digits = len(str(per_second)) - 1 if per_second > 1 else 0
    return f"{text}.{rest:0{digits}}" if digits else text
