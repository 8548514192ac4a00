"""Values of any Arrow type as JSON carries them.

Python has no word for much that Arrow holds: nanoseconds, years after 9999, zones that nobody knows. Where its values
fail, the scalars themselves are read.
"""

import datetime
import decimal
import math
import zoneinfo

from svc_engine.data import require

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
CYCLE_YEARS = 400
CYCLE_SECONDS = 146097 * 24 * 60 * 60
_DAY = 24 * 60 * 60
_EPOCH = datetime.datetime(1970, 1, 1)
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_NO_PYTHON_VALUE = (ValueError, OverflowError, LookupError, TypeError, NotImplementedError)


def shown_values(column, exact=False):
    """The values of an array or a chunked array, nothing as empty text.

    `exact`: nothing as None, NaN, infinities and the zero below zero as their words, short floats with the digits that were
    meant.
    """
    types = require("pyarrow").types
    if exact and (types.is_float32(column.type) or types.is_float16(column.type)):
        column = _widened(column)
    try:
        return [shown(value, exact) for value in column.to_pylist()]
    except _NO_PYTHON_VALUE:
        return [shown_scalar(scalar, exact) for scalar in column]


def _widened(column):
    """0.1 of 32 bits as 0.1, and not as the 64 bits nearest to it, 0.10000000149011612."""
    kind = require("pyarrow").types.is_float16(column.type) and "float32" or column.type
    return column.cast(kind).cast("string").cast("float64")


def python_values(column):
    """Python's own values, None for nothing; where Python has none, what a page shows."""
    try:
        return column.to_pylist()
    except _NO_PYTHON_VALUE:
        return [_value_or_shown(scalar) for scalar in column]


def _value_or_shown(scalar):
    try:
        return scalar.as_py()
    except _NO_PYTHON_VALUE:
        return shown_scalar(scalar)


def shown(value, exact=False):
    """A Python value as JSON carries it; what JSON has no word for goes as text, and nothing as empty text."""
    if value is None:
        return None if exact else ""
    if isinstance(value, float) and not math.isfinite(value):
        return _NOT_FINITE[str(value)] if exact else ""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, float):
        # JavaScript writes -0.0 as 0.
        return "-0.0" if exact and value == 0 and math.copysign(1, value) < 0 else value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time, decimal.Decimal)):
        return str(value)
    if isinstance(value, require("pyarrow").MonthDayNano):
        return _interval(value)
    if isinstance(value, (list, tuple)):  # the entries of a map are tuples
        return [shown(one, exact) for one in value]
    if isinstance(value, dict):
        return {str(key): shown(one, exact) for key, one in value.items()}
    return str(value)


def shown_scalar(scalar, exact=False):
    arrow = require("pyarrow")
    types, kind = arrow.types, scalar.type
    if not scalar.is_valid:
        return None if exact else ""
    if types.is_timestamp(kind):
        return _moment(scalar)
    if types.is_time(kind):
        return _clock(scalar.value, kind.unit)
    if types.is_duration(kind):
        return _duration(scalar.value, kind.unit)
    if isinstance(scalar, arrow.StructScalar):
        return _members([(field.name, scalar[at]) for at, field in enumerate(kind)], exact)
    if isinstance(scalar, arrow.MapScalar):
        return [[shown_scalar(entry[0], exact), shown_scalar(entry[1], exact)] for entry in scalar.values]
    if hasattr(scalar, "values"):
        return [shown_scalar(one, exact) for one in scalar.values]
    if types.is_union(kind) or types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return shown_scalar(scalar.value, exact)
    try:
        return shown(scalar.as_py(), exact)
    except _NO_PYTHON_VALUE:
        return _last_resort(scalar, exact)


def _members(pairs, exact):
    """An object, or pairs where two members have one name."""
    said = [(name, shown_scalar(value, exact)) for name, value in pairs]
    return dict(said) if len({name for name, _ in said}) == len(said) else [list(pair) for pair in said]


def _last_resort(scalar, exact):
    arrow = require("pyarrow")
    if hasattr(scalar, "as_buffer"):
        return scalar.as_buffer().to_pybytes().decode("utf-8", "replace")
    if isinstance(scalar, arrow.ExtensionScalar):
        return shown_scalar(scalar.value, exact)
    try:
        return scalar.cast(arrow.string()).as_py()
    except _NO_PYTHON_VALUE:
        return " ".join(str(arrow.array([scalar], scalar.type)).split())


def _moment(scalar):
    unit, zone = scalar.type.unit, scalar.type.tz
    seconds, fraction = divmod(scalar.value, PER_SECOND[unit])
    try:
        moment = _EPOCH + datetime.timedelta(seconds=seconds)
        if zone is not None:
            moment = moment.replace(tzinfo=datetime.timezone.utc).astimezone(_zone(zone))
        text = str(moment)
    except OverflowError:
        text = _far(seconds) + ("" if zone is None else "+00:00")
    end = text.index(":") + 6
    return text[:end] + _fraction(fraction, unit) + text[end:]


def _far(seconds):
    """A moment whose year Python does not reach: the calendar repeats itself every 400 years."""
    cycles, within = divmod(seconds, CYCLE_SECONDS)
    moment = _EPOCH + datetime.timedelta(seconds=within)
    return f"{moment.year + CYCLE_YEARS * cycles}{str(moment)[4:]}"


def _zone(name):
    """The zone of that name; what no machine knows is shown in UTC."""
    try:
        return require("pyarrow").lib.string_to_tzinfo(name)
    except (ValueError, LookupError):
        try:
            return zoneinfo.ZoneInfo(name)
        except (ValueError, LookupError, OSError):
            return datetime.timezone.utc


def _clock(value, unit):
    seconds, fraction = divmod(value, PER_SECOND[unit])
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{_fraction(fraction, unit)}"


def _duration(value, unit):
    """As Python writes a timedelta, to the nanosecond and of any length."""
    seconds, fraction = divmod(value, PER_SECOND[unit])
    days, rest = divmod(seconds, _DAY)
    clock = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}{_fraction(fraction, unit)}"
    return f"{days} day{'' if abs(days) == 1 else 's'}, {clock}" if days else clock


def _interval(value):
    """As DuckDB and PostgreSQL write one: `1 year 2 months 3 days 04:05:06`."""
    years, months = divmod(abs(value.months), 12)
    sign = "-" if value.months < 0 else ""
    named = [(years, sign, "year"), (months, sign, "month"), (abs(value.days), "-" if value.days < 0 else "", "day")]
    parts = [f"{before}{count} {name}{'' if count == 1 else 's'}" for count, before, name in named if count]
    if value.nanoseconds or not parts:
        clock = _clock(abs(value.nanoseconds), "ns")
        parts.append(f"-{clock}" if value.nanoseconds < 0 else clock)
    return " ".join(parts)


def _fraction(count, unit):
    """As Python writes parts of a second: six digits or none, and nine where there are nanoseconds."""
    nanoseconds = count * (10**9 // PER_SECOND[unit])
    if nanoseconds == 0:
        return ""
    return f".{nanoseconds // 1000:06}" if nanoseconds % 1000 == 0 else f".{nanoseconds:09}"
