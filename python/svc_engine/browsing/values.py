"""What somebody typed into a filter, as a value of a column's type."""

import ast
import datetime
import decimal
import json
import math
import re
import uuid

from svc_engine.browsing.shown import CYCLE_SECONDS, CYCLE_YEARS, PER_SECOND
from svc_engine.data import require

_DURATION = re.compile(r"(?:(-?\d+) days?,? )?(-?)(\d+):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?")
_FAR_YEAR = re.compile(r"(-\d+|\d{5,})(-\d\d-\d\d.*)")


def coerced(value, kind):
    """The value as a scalar of this plain type, or None when it cannot be one."""
    arrow = require("pyarrow")
    if value is None:
        return None
    try:
        return _scalar(value, kind)
    except (ValueError, TypeError, ArithmeticError, SyntaxError, arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        return None


def _scalar(value, kind):
    arrow = require("pyarrow")
    types = arrow.types
    if types.is_integer(kind):
        return arrow.scalar(integer(value), kind)
    if types.is_decimal(kind):
        return arrow.scalar(decimal.Decimal(str(value))).cast(kind)
    if types.is_floating(kind):
        return arrow.scalar(float(value)).cast(kind)
    if types.is_timestamp(kind):
        return _moment(str(value), kind)
    if types.is_date(kind):
        return arrow.scalar(datetime.datetime.fromisoformat(str(value))).cast(kind)
    if types.is_time(kind):
        storage = arrow.int32() if kind.bit_width == 32 else arrow.int64()
        return arrow.scalar(_ticks(str(value), kind.unit), storage).cast(kind)
    if types.is_duration(kind):
        return arrow.scalar(_ticks(str(value), kind.unit), arrow.int64()).cast(kind)
    if types.is_boolean(kind):
        return arrow.scalar(value if isinstance(value, bool) else str(value).lower() == "true")
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return arrow.scalar(_bytes(str(value)), kind)
    return arrow.scalar(str(value)).cast(kind)


def integer(value):
    """An integer to its last digit, also from text; of other numbers the whole part."""
    try:
        return int(value)
    except ValueError:
        return math.trunc(float(value))


def _moment(text, kind):
    arrow = require("pyarrow")
    far = _FAR_YEAR.fullmatch(text)
    cycles = (int(far[1]) - 1970) // CYCLE_YEARS if far else 0
    near = f"{int(far[1]) - cycles * CYCLE_YEARS}{far[2]}" if far else text
    try:
        scalar = arrow.scalar(near).cast(kind)  # to the nanosecond, which Python does not know
    except arrow.ArrowInvalid:
        scalar = arrow.scalar(datetime.datetime.fromisoformat(near)).cast(kind)
    return arrow.scalar(scalar.value + cycles * CYCLE_SECONDS * PER_SECOND[kind.unit], arrow.int64()).cast(kind)


def _ticks(text, unit):
    """The text of a time or a duration as pages show it, `1 day, 2:00:00.5`, or a number of seconds."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        return round(decimal.Decimal(text) * PER_SECOND[unit])
    days, sign, hours, minutes, seconds, fraction = found.groups(default="")
    clock = (int(hours) * 60 + int(minutes)) * 60 + int(seconds or 0)
    nanoseconds = clock * 10**9 + int(fraction.ljust(9, "0"))
    nanoseconds = int(days or 0) * 86400 * 10**9 + (-nanoseconds if sign else nanoseconds)
    return nanoseconds * PER_SECOND[unit] // 10**9


def _bytes(text):
    """Bytes as pages show them, or else the text's own."""
    return ast.literal_eval(text) if re.fullmatch(r"b(['\"]).*\1", text, re.DOTALL) else text.encode()


def uuid_scalar(value):
    try:
        return require("pyarrow").scalar(uuid.UUID(str(value)).bytes, require("pyarrow").binary(16))
    except ValueError:
        return None


def nested(value):
    """What a page shows of a nested value, written as JSON or as Python writes it; or else the text itself."""
    if not isinstance(value, str):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value
