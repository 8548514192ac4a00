"""A scan of a table, as the integrations ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .filters import Filter, wire_filters


def scan(
    columns: Sequence[str] | None = None,
    filters: Iterable[Filter | dict[str, Any]] | None = None,
    snapshot_id: int | None = None,
) -> dict[str, Any]:
    """The transform `scan@v1`: `client.materialize(["file:///wh#ns.t"], scan(columns=["a"], filters=[gt("a", 1)]))`."""
    params: dict[str, Any] = {}
    if columns is not None:
        params["columns"] = list(columns)
    if filters is not None:
        params["filters"] = wire_filters(filters)
    if snapshot_id is not None:
        params["snapshot_id"] = snapshot_id
    return {"executor": "scan@v1", "params": params}
