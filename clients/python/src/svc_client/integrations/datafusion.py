"""SQL over tables of a server, in DataFusion on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import datafusion

from .arrow import SvcDataset


class SvcDataFusionContext:
    def __init__(self, context: datafusion.SessionContext | None = None, **options: Any) -> None:
        self.context = context or datafusion.SessionContext()
        self._options = options
        self._names: list[str] = []

    def register(self, name: str, table_uri: str, columns: Any = None, filters: Any = None) -> None:
        batches = SvcDataset(table_uri, **self._options).to_table(columns, filters).to_batches()
        self.context.register_record_batches(name, [batches])
        self._names.append(name)

    def deregister(self, name: str) -> None:
        self.context.deregister_table(name)
        self._names.remove(name)

    def tables(self) -> list[str]:
        return list(self._names)

    def table(self, name: str) -> datafusion.DataFrame:
        return self.context.table(name)

    def sql(self, sql: str) -> datafusion.DataFrame:
        return self.context.sql(sql)


def register_svc_table(context: datafusion.SessionContext, name: str, table_uri: str, **options: Any) -> None:
    SvcDataFusionContext(context, **options).register(name, table_uri)


def svc_query(sql: str, tables: Mapping[str, str], **options: Any) -> datafusion.DataFrame:
    context = SvcDataFusionContext(**options)
    for name, table_uri in tables.items():
        context.register(name, table_uri)
    return context.sql(sql)
