"""Tables of a server as pandas frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas

from .arrow import SvcDataset


def fetch_to_pandas(table_uri: str, columns: Any = None, filters: Any = None, **options: Any) -> pandas.DataFrame:
    return SvcDataset(table_uri, **options).to_table(columns, filters).to_pandas()


class SvcPandasScanner:
    def __init__(self, table_uri: str, **options: Any) -> None:
        self._dataset = SvcDataset(table_uri, **options)

    def fetch(self, columns: Any = None, filters: Any = None) -> pandas.DataFrame:
        return self._dataset.to_table(columns, filters).to_pandas()

    def fetch_batches(self, columns: Any = None, filters: Any = None) -> Iterator[pandas.DataFrame]:
        for batch in self._dataset.to_batches(columns, filters):
            yield batch.to_pandas()
