"""Filters of a scan: read once against the table's schema, then used to skip files and row groups and to choose rows.

A filter that cannot apply is refused and says why; none is ever ignored. Null and NaN match no comparison but `!=` with a
number, as in Arrow.
"""

import base64
import binascii
import datetime
import decimal
import math
import uuid

import pyarrow
import pyarrow.compute as compute
from pyiceberg.expressions import (
    AlwaysFalse,
    AlwaysTrue,
    And,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    LessThan,
    LessThanOrEqual,
    NotEqualTo,
    Reference,
)
from pyiceberg.expressions.literals import literal
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from svc_engine.tables.metadata import arrow_schema
from svc_engine.tables.refusals import ScanInvalid, first_line

PREDICATES = {
    "=": EqualTo,
    "!=": NotEqualTo,
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
}
MASKS = {
    "=": compute.equal,
    "!=": compute.not_equal,
    "<": compute.less,
    "<=": compute.less_equal,
    ">": compute.greater,
    ">=": compute.greater_equal,
}
ZONED = (TimestamptzType, TimestamptzNanoType)
PLAIN = (TimestampType, TimestampNanoType)


class Filter:
    """One comparison: `field op value`, the value as Arrow and as Python know it."""

    __slots__ = ("bound", "expression", "field", "floating", "op", "scalar", "value")

    def __init__(self, schema, sent):
        self.op = sent["op"]
        self.field = next((field for field in schema.fields if field.name == sent["column"]), None)
        if self.field is None:
            known = sorted(field.name for field in schema.fields)
            raise ScanInvalid(f"Filter column '{sent['column']}' is not a column of the table. Columns: {known}.")
        if not self.field.field_type.is_primitive:
            raise ScanInvalid(f"Filter column '{self.field.name}' is of type {self.field.field_type}, which has no order.")
        try:
            wanted = read_value(sent["value"], self.field.field_type)
            self.expression = PREDICATES[self.op](Reference(self.field.name), literal(wanted))
            self.bound = self.expression.bind(schema, case_sensitive=True)
            kind = arrow_schema([self.field]).field(0).type
            self.scalar = None if self.is_constant() else as_scalar(self.bound.literal.value, kind)
        except ScanInvalid:
            raise
        except Exception as problem:
            raise ScanInvalid(
                f"Filter on '{self.field.name}' cannot apply: {sent['value']!r} is no value of type "
                f"{self.field.field_type} ({first_line(problem)})"
            ) from problem
        self.floating = isinstance(self.field.field_type, (FloatType, DoubleType))
        self.value = None if self.scalar is None else self.scalar.as_py()

    def is_constant(self):
        """A value beyond the column's range decides for every row."""
        return isinstance(self.bound, (AlwaysTrue, AlwaysFalse))

    def mask(self, column):
        if isinstance(self.bound, AlwaysFalse):
            return pyarrow.repeat(False, len(column))
        if isinstance(self.bound, AlwaysTrue):
            return compute.is_valid(column)
        if isinstance(column, pyarrow.ExtensionArray):
            column = column.storage
        return MASKS[self.op](column, self.scalar)

    def judge(self, low, high, nulls, rows):
        """What bounds tell of a row group: 'none' of its rows match, 'all' do, or 'some' may."""
        if isinstance(self.bound, AlwaysFalse) or nulls == rows:
            return "none"
        if isinstance(self.bound, AlwaysTrue):
            return "all" if nulls == 0 else "some"
        if low is None or high is None or (self.floating and any(map(is_nan, (low, high, self.value)))):
            return "some"
        try:
            return self.judge_bounds(comparable(low), comparable(high), comparable(self.value), nulls)
        except TypeError:
            return "some"

    def judge_bounds(self, low, high, value, nulls):
        none, every = {
            "=": (value < low or value > high, low == high == value),
            "!=": (low == high == value and not self.floating, value < low or value > high),
            "<": (low >= value, high < value),
            "<=": (low > value, high <= value),
            ">": (high <= value, low > value),
            ">=": (high < value, low >= value),
        }[self.op]
        if none:
            return "none"
        # Bounds say nothing of NaN.
        return "all" if every and nulls == 0 and not self.floating else "some"


def read_filters(schema, sent):
    return [Filter(schema, one) for one in sent]


def whole_expression(filters):
    expressions = [one.expression for one in filters]
    return And(*expressions) if len(expressions) > 1 else expressions[0] if expressions else AlwaysTrue()


def matching(filters, columns):
    """A mask of the rows that every filter takes; `columns` gives a column by field id."""
    mask = None
    for one in filters:
        own = one.mask(columns[one.field.field_id])
        mask = own if mask is None else compute.and_kleene(mask, own)
    return mask


def read_value(sent, kind):
    tag, text = tagged(sent)
    if isinstance(kind, BooleanType):
        return only(sent, bool)
    if isinstance(kind, (IntegerType, LongType)):
        return whole_number(sent)
    if isinstance(kind, (FloatType, DoubleType)):
        return float(only(sent, (int, float)))
    if isinstance(kind, DecimalType):
        return at_scale(decimal.Decimal(text if isinstance(sent, str) else str(only(sent, (int, float)))), kind.scale)
    if isinstance(kind, StringType):
        return text if tag is None else only(sent, str)
    if isinstance(kind, UUIDType):
        return str(uuid.UUID(text))
    if isinstance(kind, (BinaryType, FixedType)):
        return decoded(tag, text)
    if isinstance(kind, ZONED):
        return with_zone(text)
    if isinstance(kind, PLAIN):
        return datetime.datetime.fromisoformat(text).replace(tzinfo=None).isoformat()
    if isinstance(kind, DateType):
        return datetime.datetime.fromisoformat(text).date().isoformat()
    if isinstance(kind, TimeType):
        return datetime.time.fromisoformat(text).isoformat()
    raise ScanInvalid(f"Filters on columns of type {kind} are not supported.")


TAGS = ("datetime", "date", "time", "decimal", "uuid", "bytes")


def tagged(sent):
    """`__date__:2026-01-01` says what the text means; other text means itself."""
    if not isinstance(sent, str):
        return None, ""
    for tag in TAGS:
        if sent.startswith(f"__{tag}__:"):
            return tag, sent[len(tag) + 5 :]
    return None, sent


def only(sent, kinds):
    if not isinstance(sent, kinds) or (isinstance(sent, bool) and kinds is not bool):
        raise TypeError(f"{type(sent).__name__} given")
    return sent


def whole_number(sent):
    number = only(sent, (int, float))
    if int(number) != number:
        raise ValueError("a whole number is needed")
    return int(number)


def at_scale(number, scale):
    rounded = number.quantize(decimal.Decimal(1).scaleb(-scale))
    if rounded != number:
        raise ValueError(f"it has more than {scale} decimal places")
    return rounded


def decoded(tag, text):
    if tag != "bytes":
        raise TypeError("bytes are written __bytes__:<base64>")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as problem:
        raise ValueError("it is not base64") from problem


def with_zone(text):
    moment = datetime.datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)).isoformat()


def as_scalar(value, kind):
    if isinstance(kind, pyarrow.ExtensionType):
        return pyarrow.scalar(value.bytes if isinstance(value, uuid.UUID) else value, kind.storage_type)
    return pyarrow.scalar(value, kind)


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def comparable(value):
    """Moments as bounds and as filters know them, alike."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value
