"""SQL over tables of a server, in DuckDB on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from .arrow import SvcDataset

if TYPE_CHECKING:
    import pandas


class SvcScanner:
    def __init__(self, connection: duckdb.DuckDBPyConnection | None = None, **options: Any) -> None:
        self.connection = connection or duckdb.connect()
        self.registered_tables: dict[str, str] = {}
        self._options = options

    def register(self, name: str, table_uri: str, columns: Any = None, filters: Any = None) -> None:
        self.connection.register(name, SvcDataset(table_uri, **self._options).to_table(columns, filters))
        self.registered_tables[name] = table_uri

    def unregister(self, name: str) -> None:
        self.connection.unregister(name)
        self.registered_tables.pop(name, None)

    def query(self, sql: str) -> pa.Table:
        return self.connection.sql(sql).to_arrow_table()

    def query_df(self, sql: str) -> pandas.DataFrame:
        return self.connection.sql(sql).df()


def register_svc_scan(connection: duckdb.DuckDBPyConnection, name: str, table_uri: str, **options: Any) -> SvcScanner:
    scanner = SvcScanner(connection, **options)
    scanner.register(name, table_uri)
    return scanner


def svc_query(sql: str, tables: Mapping[str, str], **options: Any) -> pa.Table:
    scanner = SvcScanner(**options)
    for name, table_uri in tables.items():
        scanner.register(name, table_uri)
    return scanner.query(sql)
