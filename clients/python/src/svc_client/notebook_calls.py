"""Every call on notebooks, once. Both clients carry these out; see `exchange`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .errors import SvcError
from .exchange import Pause, Request, Steps, quoted

State = dict[str, Any]


class CellFailed(SvcError, RuntimeError):
    """A cell ended with an error; `result` is all that the server said of the run."""

    def __init__(self, cell_id: str, result: Mapping[str, Any]) -> None:
        super().__init__(200, f"Cell {cell_id}: {result.get('error')}")
        self.cell_id, self.result = cell_id, dict(result)


def _at(session_id: str, /, rest: str = "") -> str:
    return f"/v1/notebooks/{quoted(session_id)}{rest}"


_PAGE = 500


def discover() -> Steps[list[State]]:
    found: list[State] = []
    while True:
        address = f"/v1/notebooks/discover?limit={_PAGE}&offset={len(found)}"
        page = (yield Request("GET", address)).json()["notebooks"]
        found += page
        if len(page) < _PAGE:
            return found


def create(name: str, parent_path: str = ".", python_version: str | None = None) -> Steps[State]:
    body = {"parent_path": parent_path, "name": name, "python_version": python_version, "starter_cell": False}
    return (yield Request("POST", "/v1/notebooks/create", json=body, repeatable=False)).json()


def open_path(path: str) -> Steps[State]:
    return (yield Request("POST", "/v1/notebooks/open", json={"path": path})).json()


def state(session_id: str, /) -> Steps[State]:
    return (yield Request("GET", f"/v1/notebooks/sessions/{quoted(session_id)}")).json()


def close(session_id: str, /) -> Steps[State]:
    return (yield Request("POST", _at(session_id, "/close"))).json()


def delete(session_id: str, /) -> Steps[State]:
    return (yield Request("DELETE", _at(session_id))).json()


def add_cell(
    session_id: str, /, source: str, language: str = "python", after: str | None = None, author: str | None = None
) -> Steps[str]:
    body = {"after_cell_id": after, "language": language, "author": author}
    cell_id = (yield Request("POST", _at(session_id, "/cells"), json=body, repeatable=False)).json()["id"]
    yield from edit_cell(session_id, cell_id, source, author)
    return cell_id


def edit_cell(session_id: str, /, cell_id: str, source: str, author: str | None = None, force: bool = False) -> Steps[State]:
    body = {"source": source, "author": author, "force": force}
    return (yield Request("PUT", _at(session_id, f"/cells/{quoted(cell_id)}"), json=body)).json()["cell"]


def delete_cell(session_id: str, /, cell_id: str) -> Steps[State]:
    return (yield Request("DELETE", _at(session_id, f"/cells/{quoted(cell_id)}"))).json()


def run_cell(session_id: str, /, cell_id: str, mode: str = "normal", timeout: float | None = None) -> Steps[State]:
    """Run a cell and what it needs. Raises CellFailed when it ends with an error."""
    place = _at(session_id, f"/cells/{quoted(cell_id)}/execute")
    result = (
        yield Request("POST", place, params={"mode": mode}, repeatable=False, timeout=timeout or 86_400.0)
    ).json()
    if result["status"] == "error":
        raise CellFailed(cell_id, result)
    return result


def run_all(session_id: str, /) -> Steps[list[State]]:
    """Run every cell that has code, in the order of what they need; stops at the first that fails."""
    found = yield from state(session_id)
    runnable = {one["id"] for one in found["cells"] if one["language"] != "markdown" and one["source"].strip()}
    order = (yield Request("GET", _at(session_id, "/dag"))).json()["topological_order"]
    results = []
    for cell_id in (one for one in order if one in runnable):
        results.append((yield from run_cell(session_id, cell_id)))
    return results


def cancel_cell(session_id: str, /, cell_id: str) -> Steps[State]:
    return (yield Request("POST", _at(session_id, f"/cells/{quoted(cell_id)}/cancel"))).json()


def output_bytes(session_id: str, /, cell_id: str, index: int = 0) -> Steps[bytes]:
    """What a cell shows: an image, text or an Arrow stream, as it was stored."""
    return (yield Request("GET", _at(session_id, f"/cells/{quoted(cell_id)}/outputs/{index}/blob"))).body


def add_dependency(session_id: str, /, package: str) -> Steps[State]:
    """Install a package into the notebook's environment, and wait until it is there."""
    place = _at(session_id, "/dependencies")
    return (yield Request("POST", place, json={"package": package}, repeatable=False, timeout=3600.0)).json()


def remove_dependency(session_id: str, /, package: str) -> Steps[State]:
    place = _at(session_id, f"/dependencies/{quoted(package)}")
    return (yield Request("DELETE", place, repeatable=False, timeout=3600.0)).json()


def environment_ready(session_id: str, /, timeout: float = 600.0, poll_interval: float = 0.2) -> Steps[State]:
    """Wait until the notebook's environment is built; raises with the reason when that failed."""
    late = time.monotonic() + timeout
    while time.monotonic() < late:
        found = yield from state(session_id)
        job = found.get("environment_job")
        if found["environment"]["sync_state"] != "pending" and (job is None or job["status"] != "running"):
            if found["environment"]["sync_state"] == "failed":
                raise SvcError(409, found["environment"].get("sync_error") or "The environment could not be built.")
            return found
        yield Pause(poll_interval)
    raise TimeoutError(f"The environment was not ready within {timeout} seconds.")


def export(session_id: str, /, fmt: str = "markdown", **options: Any) -> Steps[bytes]:
    """`zip`, `snapshot`, `markdown`, `html`, `ipynb` or `script`."""
    return (yield Request("GET", _at(session_id, "/export"), params={"fmt": fmt, **options}, timeout=600.0)).body
