"""One stored version, with what can be asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from . import calls
from .encoding import document_of, from_stream

if TYPE_CHECKING:
    import pandas
    import polars

    from .aio import AsyncSvcClient
    from .client import SvcClient


class _Facts:
    """What both kinds know without asking."""

    def __init__(self, stored: calls.Stored) -> None:
        self.artifact_id, self.version = stored.artifact_id, stored.version
        self.cache_hit, self.execution = stored.cache_hit, stored.execution
        self.build_id, self.name = stored.build_id, stored.name
        self._data = stored.data

    @property
    def uri(self) -> str:
        return f"svc://artifact/{self.artifact_id}@v={self.version}"

    @property
    def name_uri(self) -> str | None:
        return None if self.name is None else f"svc://name/{self.name}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uri})"


class Artifact(_Facts):
    def __init__(self, client: SvcClient, stored: calls.Stored) -> None:
        super().__init__(stored)
        self._client = client

    def info(self) -> dict[str, Any]:
        return self._client.get_artifact(self.artifact_id, self.version)

    def to_bytes(self) -> bytes:
        """As stored. Bytes that came with the answer are not fetched again."""
        if self._data is None:
            self._data = self._client.fetch_bytes(self.uri)
        return self._data

    def to_table(self) -> pa.Table:
        return from_stream(self.to_bytes())

    def to_pandas(self) -> pandas.DataFrame:
        return self.to_table().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        return _polars(self.to_table())

    def to_json(self) -> Any:
        return document_of(self.to_table())

    def lineage(self, max_depth: int = 10) -> dict[str, Any]:
        return self._client.lineage(self.artifact_id, self.version, max_depth)

    def dependents(self, limit: int = 100) -> dict[str, Any]:
        return self._client.dependents(self.artifact_id, self.version, limit)


class AsyncArtifact(_Facts):
    def __init__(self, client: AsyncSvcClient, stored: calls.Stored) -> None:
        super().__init__(stored)
        self._client = client

    async def info(self) -> dict[str, Any]:
        return await self._client.get_artifact(self.artifact_id, self.version)

    async def to_bytes(self) -> bytes:
        if self._data is None:
            self._data = await self._client.fetch_bytes(self.uri)
        return self._data

    async def to_table(self) -> pa.Table:
        return from_stream(await self.to_bytes())

    async def to_pandas(self) -> pandas.DataFrame:
        return (await self.to_table()).to_pandas()

    async def to_polars(self) -> polars.DataFrame:
        return _polars(await self.to_table())

    async def to_json(self) -> Any:
        return document_of(await self.to_table())

    async def lineage(self, max_depth: int = 10) -> dict[str, Any]:
        return await self._client.lineage(self.artifact_id, self.version, max_depth)

    async def dependents(self, limit: int = 100) -> dict[str, Any]:
        return await self._client.dependents(self.artifact_id, self.version, limit)


def _polars(table: pa.Table) -> polars.DataFrame:
    import polars

    frame = polars.from_arrow(table)
    return frame if isinstance(frame, polars.DataFrame) else frame.to_frame()
