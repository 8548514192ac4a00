"""Tables of a server as polars frames."""

from __future__ import annotations

from typing import Any

import polars

from .arrow import SvcDataset


def fetch_to_polars(table_uri: str, columns: Any = None, filters: Any = None, **options: Any) -> polars.DataFrame:
    frame = polars.from_arrow(SvcDataset(table_uri, **options).to_table(columns, filters))
    return frame if isinstance(frame, polars.DataFrame) else frame.to_frame()


def fetch_to_lazy(table_uri: str, columns: Any = None, filters: Any = None, **options: Any) -> polars.LazyFrame:
    return fetch_to_polars(table_uri, columns, filters, **options).lazy()


class SvcPolarsScanner:
    def __init__(self, table_uri: str, **options: Any) -> None:
        self._table_uri, self._options = table_uri, options

    def fetch(self, columns: Any = None, filters: Any = None) -> polars.DataFrame:
        return fetch_to_polars(self._table_uri, columns, filters, **self._options)

    def fetch_lazy(self, columns: Any = None, filters: Any = None) -> polars.LazyFrame:
        return self.fetch(columns, filters).lazy()
