"""Filters of a scan: `gt("price", 10)`. They prune files before they are read and are then applied exactly."""

from __future__ import annotations

import base64
import datetime
import decimal
import hashlib
import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Union

FilterOp = Literal["=", "!=", "<", "<=", ">", ">="]
FilterValue = Union[
    str, int, float, bool, None, bytes, datetime.datetime, datetime.date, datetime.time, decimal.Decimal, uuid.UUID
]


@dataclass(frozen=True)
class Filter:
    column: str
    op: FilterOp
    value: FilterValue

    def wire(self) -> dict[str, Any]:
        return {"column": self.column, "op": self.op, "value": wire_value(self.value)}


def wire_value(value: FilterValue) -> Any:
    """JSON as it is; what JSON cannot say as a tagged text."""
    if isinstance(value, datetime.datetime):
        return f"__datetime__:{value.isoformat()}"
    if isinstance(value, datetime.date):
        return f"__date__:{value.isoformat()}"
    if isinstance(value, datetime.time):
        return f"__time__:{value.isoformat()}"
    if isinstance(value, decimal.Decimal):
        return f"__decimal__:{value}"
    if isinstance(value, uuid.UUID):
        return f"__uuid__:{value}"
    if isinstance(value, bytes):
        return f"__bytes__:{base64.b64encode(value).decode()}"
    return value


def wire_filters(filters: Iterable[Filter | dict[str, Any]]) -> list[dict[str, Any]]:
    return [one.wire() if isinstance(one, Filter) else one for one in filters]


def compute_filter_fingerprint(filters: Iterable[Filter | dict[str, Any]] | None) -> str:
    """The same for the same filters in any order."""
    texts = sorted(json.dumps(one, sort_keys=True, separators=(",", ":")) for one in wire_filters(filters or ()))
    if not texts:
        return "nofilter"
    return hashlib.md5(f"[{','.join(texts)}]".encode(), usedforsecurity=False).hexdigest()[:16]


def eq(column: str, value: FilterValue) -> Filter:
    return Filter(column, "=", value)


def ne(column: str, value: FilterValue) -> Filter:
    return Filter(column, "!=", value)


def lt(column: str, value: FilterValue) -> Filter:
    return Filter(column, "<", value)


def le(column: str, value: FilterValue) -> Filter:
    return Filter(column, "<=", value)


def gt(column: str, value: FilterValue) -> Filter:
    return Filter(column, ">", value)


def ge(column: str, value: FilterValue) -> Filter:
    return Filter(column, ">=", value)
