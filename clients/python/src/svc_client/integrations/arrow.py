"""Tables of a server as Arrow datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from ..client import SvcClient
from ..filters import Filter
from ..scan import scan

Filters = Iterable[Filter | dict[str, Any]]


class SvcDataset:
    """One table, read when it is asked for, never more than was asked for."""

    def __init__(self, table_uri: str, snapshot_id: int | None = None, base_url: str | None = None, **options: Any) -> None:
        self.table_uri, self.snapshot_id = table_uri, snapshot_id
        self._client = SvcClient(base_url, **options)

    def to_table(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pa.Table:
        return self._client.materialize([self.table_uri], scan(columns, filters, self.snapshot_id)).to_table()

    def to_batches(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> Iterator[pa.RecordBatch]:
        """Batch by batch as they arrive."""
        with self._client.stream([self.table_uri], scan(columns, filters, self.snapshot_id)) as reader:
            yield from reader

    def scanner(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> Any:
        import pyarrow.dataset

        return pyarrow.dataset.Scanner.from_batches(
            self.to_batches(columns, filters), schema=self.head(0, columns).schema
        )

    def count_rows(self, filters: Filters | None = None) -> int:
        return sum(batch.num_rows for batch in self.to_batches(filters=filters))

    def head(self, num_rows: int = 5, columns: Sequence[str] | None = None) -> pa.Table:
        """The first rows; no more of the table is read than they take."""
        with self._client.stream([self.table_uri], scan(columns, None, self.snapshot_id)) as reader:
            found: list[pa.RecordBatch] = []
            missing = num_rows
            for batch in reader:
                if missing <= 0:
                    break
                found.append(batch.slice(0, missing))
                missing -= batch.num_rows
            return pa.Table.from_batches(found, schema=reader.schema)


def dataset(table_uri: str, snapshot_id: int | None = None, base_url: str | None = None, **options: Any) -> SvcDataset:
    return SvcDataset(table_uri, snapshot_id, base_url, **options)
