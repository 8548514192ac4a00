"""The asynchronous client: the same calls, awaited."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx

from . import calls
from .address import server_url
from .artifact import AsyncArtifact
from .exchange import Answer, Request, RetryConfig, Steps, insistent
from .http import DEFAULT_TIMEOUT, answer_of, arguments, lost_connection, request_headers
from .notebooks import AsyncNotebooks

P = ParamSpec("P")
R = TypeVar("R")


def _call(call: Callable[P, Steps[R]]) -> Callable[Concatenate[AsyncSvcClient, P], Awaitable[R]]:
    @functools.wraps(call)
    async def method(self: AsyncSvcClient, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.carry_out(call(*args, **kwargs))

    return method


def _artifact(call: Callable[P, Steps[calls.Stored]]) -> Callable[Concatenate[AsyncSvcClient, P], Awaitable[AsyncArtifact]]:
    @functools.wraps(call)
    async def method(self: AsyncSvcClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncArtifact:
        return AsyncArtifact(self, await self.carry_out(call(*args, **kwargs)))

    return method


class AsyncSvcClient:
    """A connection to one server. Use it as an asynchronous context manager, or close it."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry_config: RetryConfig | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.base_url = server_url(base_url)
        self.retry = retry_config or RetryConfig()
        self._http = httpx.AsyncClient(
            headers=request_headers(api_key, headers), timeout=timeout, transport=transport, follow_redirects=True
        )
        self.notebooks = AsyncNotebooks(self)

    @classmethod
    def from_transport(
        cls, transport: httpx.AsyncBaseTransport, *, base_url: str, retry_config: RetryConfig | None = None
    ) -> AsyncSvcClient:
        return cls(base_url, transport=transport, retry_config=retry_config)

    async def __aenter__(self) -> AsyncSvcClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def carry_out(self, steps: Steps[R]) -> R:
        """Do what a call consists of. For calls of your own; see `svc_client.calls`."""
        insisted = insistent(steps, self.retry)
        answer: Any = None
        while True:
            try:
                step = insisted.send(answer)
            except StopIteration as end:
                return end.value
            answer = await (self._send(step) if isinstance(step, Request) else asyncio.sleep(step.seconds))

    async def _send(self, request: Request) -> Answer:
        try:
            return answer_of(await self._http.request(**arguments(request, self.base_url)))
        except httpx.TransportError as problem:
            if not request.repeatable or isinstance(problem, (httpx.ConnectError, httpx.TimeoutException)):
                raise
            return lost_connection(request)

    health = _call(calls.health)
    metrics = _call(calls.metrics)
    clear_cache = _call(calls.clear_cache)
    materialize = _artifact(calls.materialize)
    explain_materialize = _call(calls.explain_materialize)
    fetch = _call(calls.fetch)
    fetch_bytes = _call(calls.fetch_bytes)
    get_json = _call(calls.get_json)
    get_artifact = _call(calls.get_artifact)
    get_artifact_by_name = _artifact(calls.get_artifact_by_name)
    find_by_provenance = _call(calls.find_by_provenance)
    put_by_provenance = _call(calls.put_by_provenance)
    put = _artifact(calls.put)
    put_json = _artifact(calls.put_json)
    resolve_name = _call(calls.resolve_name)
    set_name = _call(calls.set_name)
    set_alias = _call(calls.set_alias)
    resolve_alias = _call(calls.resolve_alias)
    list_aliases = _call(calls.list_aliases)
    delete_alias = _call(calls.delete_alias)
    set_tag = _call(calls.set_tag)
    get_tags = _call(calls.get_tags)
    delete_tag = _call(calls.delete_tag)
    list_pending_changes = _call(calls.list_pending_changes)
    approve_alias_change = _call(calls.approve_alias_change)
    reject_alias_change = _call(calls.reject_alias_change)
    get_registry_audit = _call(calls.get_registry_audit)
    list_artifacts = _call(calls.list_artifacts)
    delete_artifact = _call(calls.delete_artifact)
    get_artifact_usage = _call(calls.get_artifact_usage)
    garbage_collect = _call(calls.garbage_collect)
    get_name_status = _call(calls.get_name_status)
    is_artifact_stale = _call(calls.is_artifact_stale)
    lineage = _call(calls.lineage)
    dependents = _call(calls.dependents)
