"""Notebooks of a server: made, opened, edited and run."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from . import notebook_calls as calls
from .exchange import Steps

if TYPE_CHECKING:
    from .aio import AsyncSvcClient
    from .client import SvcClient

P = ParamSpec("P")
R = TypeVar("R")


def _call(call: Callable[Concatenate[str, P], Steps[R]]) -> Callable[Concatenate[Notebook, P], R]:
    @functools.wraps(call)
    def method(self: Notebook, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._client.carry_out(call(self.session_id, *args, **kwargs))

    return method


def _await(call: Callable[Concatenate[str, P], Steps[R]]) -> Callable[Concatenate[AsyncNotebook, P], Awaitable[R]]:
    @functools.wraps(call)
    async def method(self: AsyncNotebook, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._client.carry_out(call(self.session_id, *args, **kwargs))

    return method


class _Opened:
    def __init__(self, state: calls.State) -> None:
        self.session_id: str = state["session_id"]
        self.path: str = state["path"]
        self.name: str = state["name"]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"


class Notebook(_Opened):
    """An open notebook."""

    def __init__(self, client: SvcClient, state: calls.State) -> None:
        super().__init__(state)
        self._client = client

    def cells(self) -> list[dict[str, Any]]:
        return self.state()["cells"]

    state = _call(calls.state)
    add = _call(calls.add_cell)
    edit = _call(calls.edit_cell)
    delete_cell = _call(calls.delete_cell)
    run = _call(calls.run_cell)
    run_all = _call(calls.run_all)
    cancel = _call(calls.cancel_cell)
    output_bytes = _call(calls.output_bytes)
    add_dependency = _call(calls.add_dependency)
    remove_dependency = _call(calls.remove_dependency)
    environment_ready = _call(calls.environment_ready)
    export = _call(calls.export)
    close = _call(calls.close)
    delete = _call(calls.delete)


class AsyncNotebook(_Opened):
    """An open notebook; everything is awaited."""

    def __init__(self, client: AsyncSvcClient, state: calls.State) -> None:
        super().__init__(state)
        self._client = client

    async def cells(self) -> list[dict[str, Any]]:
        return (await self.state())["cells"]

    state = _await(calls.state)
    add = _await(calls.add_cell)
    edit = _await(calls.edit_cell)
    delete_cell = _await(calls.delete_cell)
    run = _await(calls.run_cell)
    run_all = _await(calls.run_all)
    cancel = _await(calls.cancel_cell)
    output_bytes = _await(calls.output_bytes)
    add_dependency = _await(calls.add_dependency)
    remove_dependency = _await(calls.remove_dependency)
    environment_ready = _await(calls.environment_ready)
    export = _await(calls.export)
    close = _await(calls.close)
    delete = _await(calls.delete)


class Notebooks:
    def __init__(self, client: SvcClient) -> None:
        self._client = client

    def discover(self) -> list[dict[str, Any]]:
        """Every notebook that the server finds in its storage."""
        return self._client.carry_out(calls.discover())

    def create(self, name: str, parent_path: str = ".", python_version: str | None = None, wait: bool = True) -> Notebook:
        """A new notebook; `wait` until its environment is built, so that cells can run."""
        notebook = Notebook(self._client, self._client.carry_out(calls.create(name, parent_path, python_version)))
        if wait:
            notebook.environment_ready()
        return notebook

    def open(self, path: str) -> Notebook:
        return Notebook(self._client, self._client.carry_out(calls.open_path(path)))


class AsyncNotebooks:
    def __init__(self, client: AsyncSvcClient) -> None:
        self._client = client

    async def discover(self) -> list[dict[str, Any]]:
        """Every notebook that the server finds in its storage."""
        return await self._client.carry_out(calls.discover())

    async def create(
        self, name: str, parent_path: str = ".", python_version: str | None = None, wait: bool = True
    ) -> AsyncNotebook:
        """A new notebook; `wait` until its environment is built, so that cells can run."""
        state = await self._client.carry_out(calls.create(name, parent_path, python_version))
        notebook = AsyncNotebook(self._client, state)
        if wait:
            await notebook.environment_ready()
        return notebook

    async def open(self, path: str) -> AsyncNotebook:
        return AsyncNotebook(self._client, await self._client.carry_out(calls.open_path(path)))
