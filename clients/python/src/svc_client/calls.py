"""Every call of the core API, once. Both clients carry these out; see `exchange`."""

from __future__ import annotations

import json as _json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from .encoding import document_of, from_stream, to_stream
from .errors import BuildFailed
from .exchange import Pause, Request, Steps, named, quoted

Transform = str | Mapping[str, Any]


@dataclass(frozen=True)
class Stored:
    """One version, as a call learned of it."""

    artifact_id: str
    version: int
    #: Whether nothing had to be computed; None where nothing was asked for.
    cache_hit: bool | None = None
    #: `cache`, `stream` or `server`: where the result came from; None where nothing was asked for.
    execution: str | None = None
    build_id: str | None = None
    name: str | None = None
    #: Its bytes, where they came along.
    data: bytes | None = None


def stored_at(uri: str, **facts: Any) -> Stored:
    identifier, _, version = uri.removeprefix("svc://artifact/").rpartition("@v=")
    return Stored(identifier, int(version), **facts)


def _version(artifact_id: str, version: int, rest: str = "") -> str:
    return f"/v1/artifacts/{quoted(artifact_id)}/v/{version}{rest}"


def _transform(transform: Transform) -> dict[str, Any]:
    if isinstance(transform, str):
        return {"executor": transform, "params": {}}
    return {("executor" if key == "ref" else key): value for key, value in transform.items()}


def _given(**params: Any) -> dict[str, Any]:
    """Without those that were left out. Truth is written as the server reads it."""
    return {key: str(one).lower() if isinstance(one, bool) else one for key, one in params.items() if one is not None}


def health() -> Steps[dict[str, Any]]:
    """Whether the server is alive."""
    return (yield Request("GET", "/health")).json()


def metrics() -> Steps[dict[str, Any]]:
    """What the server counts of itself."""
    return (yield Request("GET", "/metrics")).json()


def clear_cache() -> Steps[dict[str, Any]]:
    """Empty the cache of decoded row groups."""
    return (yield Request("POST", "/v1/cache/clear")).json()


def materialize(
    inputs: Sequence[str],
    transform: Transform,
    name: str | None = None,
    mode: str = "stream",
    refresh: bool = False,
    wait: bool = True,
    poll_interval: float = 0.5,
    timeout: float = 300.0,
) -> Steps[Stored]:
    """Compute a transform over tables and artifacts, or find its result.

    `mode="stream"` brings the bytes along; `mode="artifact"` leaves them on the server and waits until they are there.
    """
    body = {"inputs": list(inputs), "transform": _transform(transform), "mode": mode, "refresh": refresh, "name": name}
    answer = (yield Request("POST", "/v1/materialize", json=body, timeout=timeout)).json()
    hit, build_id = answer["hit"], answer["build_id"]
    if answer["stream_url"] is not None:
        streamed = yield Request("GET", answer["stream_url"], timeout=timeout)
        uri = streamed.headers.get("x-svc-artifact-uri") or answer["artifact_uri"]
        execution = "cache" if hit else "stream"
        return stored_at(uri, cache_hit=hit, execution=execution, name=name, data=streamed.body, build_id=build_id)
    execution = "cache" if hit else "server"
    stored = stored_at(answer["artifact_uri"], cache_hit=hit, execution=execution, name=name, build_id=build_id)
    if answer["state"] != "ready" and wait:
        yield from _built(stored, poll_interval, timeout)
    return stored


def _built(stored: Stored, poll_interval: float, timeout: float) -> Steps[None]:
    late = time.monotonic() + timeout
    while time.monotonic() < late:
        place = f"/v1/artifacts/builds/{quoted(stored.build_id)}" if stored.build_id else ""
        found = (yield Request("GET", place, accept=frozenset({404}))) if place else None
        if found is None or found.status == 404:
            found = yield Request("GET", _version(stored.artifact_id, stored.version))
        state = found.json()
        if state["state"] == "ready":
            return
        if state["state"] == "failed":
            raise BuildFailed(500, state.get("error_message") or "The build failed without a reason.")
        yield Pause(poll_interval)
    raise TimeoutError(f"{stored.artifact_id} v{stored.version} was not there within {timeout} seconds.")


def fetch_bytes(artifact_uri: str, timeout: float = 300.0) -> Steps[bytes]:
    """The bytes of a version, once they are there."""
    stored = stored_at(artifact_uri)
    yield from _built(stored, 0.5, timeout)
    return (yield Request("GET", _version(stored.artifact_id, stored.version, "/data"), timeout=timeout)).body


def fetch(artifact_uri: str, timeout: float = 300.0) -> Steps[pa.Table]:
    """A version as an Arrow table. Its memory is what came over the wire, not a copy."""
    return from_stream((yield from fetch_bytes(artifact_uri, timeout)))


def get_json(artifact_uri: str) -> Steps[Any]:
    """A version as a document, or as a dict of columns."""
    return document_of((yield from fetch(artifact_uri)))


def get_artifact(artifact_id: str, version: int) -> Steps[dict[str, Any]]:
    """What is known of a version."""
    return (yield Request("GET", _version(artifact_id, version))).json()


def get_artifact_by_name(name: str) -> Steps[Stored]:
    """The version that a name stands for."""
    answer = yield from resolve_name(name)
    return replace(stored_at(answer["artifact_uri"]), name=name)


def find_by_provenance(provenance_hash: str) -> Steps[dict[str, Any] | None]:
    """The version that was made this way; None where there is none."""
    place = f"/v1/artifacts/by-provenance/{quoted(provenance_hash)}"
    answer = yield Request("GET", place, accept=frozenset({404}))
    if answer.status == 404:
        if "x-svc-provenance-miss" not in answer.headers:
            raise LookupError(f"{place} is not served here: {answer.body[:200]!r}")
        return None
    return answer.json()


def put_by_provenance(
    provenance_hash: str, blob: bytes, *, content_type: str, variable_name: str | None = None
) -> Steps[dict[str, Any]]:
    """Keep bytes under the hash of how they came about."""
    metadata = _given(content_type=content_type, variable_name=variable_name)
    headers, content = _multipart({"metadata": _json.dumps(metadata).encode(), "data": blob})
    place = f"/v1/artifacts/by-provenance/{quoted(provenance_hash)}"
    return (yield Request("PUT", place, headers=headers, content=content)).json()


def put(inputs: Sequence[str], transform: Transform, data: Any, name: str | None = None) -> Steps[Stored]:
    """Store what was made elsewhere: a table, a frame, columns, a document, or the bytes of an Arrow stream."""
    metadata = {"inputs": list(inputs), "transform": _transform(transform), **_given(name=name)}
    headers, content = _multipart({"metadata": _json.dumps(metadata).encode(), "data": to_stream(data)})
    answer = (yield Request("PUT", "/v1/artifacts", headers=headers, content=content)).json()
    return stored_at(answer["artifact_uri"], cache_hit=answer["hit"], name=name)


def put_json(inputs: Sequence[str], transform: Transform, data: Any, name: str | None = None) -> Steps[Stored]:
    """Store a document. `get_json` gives it back."""
    return (yield from put(inputs, transform, data, name))


def resolve_name(name: str) -> Steps[dict[str, Any]]:
    return (yield Request("GET", f"/v1/names/{named(name)}")).json()


def set_name(name: str, artifact_id: str, version: int) -> Steps[dict[str, Any]]:
    body = {"name": name, "artifact_id": artifact_id, "version": version}
    return (yield Request("POST", "/v1/names", json=body)).json()


def set_alias(name: str, alias: str, artifact_id: str, version: int) -> Steps[dict[str, Any]]:
    """Point an alias of a name at a version; a protected one waits for an approval."""
    body = {"artifact_id": artifact_id, "version": version}
    return (yield Request("PUT", f"/v1/names/{named(name)}/aliases/{quoted(alias)}", json=body)).json()


def resolve_alias(name: str, alias: str) -> Steps[dict[str, Any]]:
    return (yield Request("GET", f"/v1/names/{named(name)}/aliases/{quoted(alias)}")).json()


def list_aliases(name: str) -> Steps[list[dict[str, Any]]]:
    return (yield Request("GET", f"/v1/names/{named(name)}/aliases")).json()["aliases"]


def delete_alias(name: str, alias: str) -> Steps[dict[str, Any]]:
    return (yield Request("DELETE", f"/v1/names/{named(name)}/aliases/{quoted(alias)}")).json()


def set_tag(artifact_id: str, version: int, key: str, value: str) -> Steps[dict[str, Any]]:
    place = _version(artifact_id, version, "/tags")
    return (yield Request("PUT", place, json={"key": key, "value": value})).json()


def get_tags(artifact_id: str, version: int) -> Steps[dict[str, str]]:
    return (yield Request("GET", _version(artifact_id, version, "/tags"))).json()["tags"]


def delete_tag(artifact_id: str, version: int, key: str) -> Steps[dict[str, Any]]:
    return (yield Request("DELETE", _version(artifact_id, version, f"/tags/{quoted(key)}"))).json()


def list_pending_changes() -> Steps[list[dict[str, Any]]]:
    return (yield Request("GET", "/v1/registry/pending")).json()["pending"]


def approve_alias_change(
    name: str, alias: str, artifact_id: str | None = None, version: int | None = None
) -> Steps[dict[str, Any]]:
    body = _given(name=name, alias=alias, artifact_id=artifact_id, version=version)
    return (yield Request("POST", "/v1/registry/pending/approve", json=body)).json()


def reject_alias_change(name: str, alias: str) -> Steps[dict[str, Any]]:
    return (yield Request("POST", "/v1/registry/pending/reject", json={"name": name, "alias": alias})).json()


def get_registry_audit(
    name: str | None = None, artifact_id: str | None = None, limit: int = 100
) -> Steps[list[dict[str, Any]]]:
    params = _given(name=name, artifact_id=artifact_id, limit=limit)
    return (yield Request("GET", "/v1/registry/audit", params=params)).json()["entries"]


def list_artifacts(
    limit: int = 100, offset: int = 0, state: str | None = None, name_prefix: str | None = None
) -> Steps[list[dict[str, Any]]]:
    params = _given(limit=limit, offset=offset, state=state, name_prefix=name_prefix)
    return (yield Request("GET", "/v1/artifacts", params=params)).json()["artifacts"]


def delete_artifact(artifact_id: str, version: int) -> Steps[dict[str, Any]]:
    return (yield Request("DELETE", _version(artifact_id, version))).json()


def get_artifact_usage() -> Steps[dict[str, Any]]:
    return (yield Request("GET", "/v1/artifacts/usage")).json()


def garbage_collect(
    *,
    max_idle_days: float | None = None,
    max_bytes: int | None = None,
    min_idle_seconds: float | None = None,
    collect_latest: bool = False,
    dry_run: bool = False,
) -> Steps[dict[str, Any]]:
    """Delete what nobody needs any more; `dry_run` only says what would go, and why."""
    params = _given(
        max_idle_days=max_idle_days,
        max_bytes=max_bytes,
        min_idle_seconds=min_idle_seconds,
        collect_latest=collect_latest,
        dry_run=dry_run,
    )
    return (yield Request("POST", "/v1/artifacts/gc", params=params, repeatable=False)).json()


def get_name_status(name: str) -> Steps[dict[str, Any]]:
    """Whether what a name stands for is still what its inputs would give now."""
    return (yield Request("GET", f"/v1/artifacts/names/{named(name)}/status")).json()


def is_artifact_stale(name: str) -> Steps[bool]:
    return (yield from get_name_status(name))["is_stale"]


def explain_materialize(inputs: Sequence[str], transform: Transform, name: str | None = None) -> Steps[dict[str, Any]]:
    """What `materialize` would do, without doing it."""
    body = {"inputs": list(inputs), "transform": _transform(transform), "name": name}
    return (yield Request("POST", "/v1/artifacts/explain-materialize", json=body)).json()


def lineage(artifact_id: str, version: int, max_depth: int = 10) -> Steps[dict[str, Any]]:
    place = _version(artifact_id, version, "/lineage")
    return (yield Request("GET", place, params={"max_depth": max_depth})).json()


def dependents(artifact_id: str, version: int, limit: int = 100) -> Steps[dict[str, Any]]:
    place = _version(artifact_id, version, "/dependents")
    return (yield Request("GET", place, params={"limit": limit})).json()


def _multipart(parts: Mapping[str, bytes]) -> tuple[dict[str, str], bytes]:
    """Built here and not by the HTTP library, so that a request can be sent again."""
    mark = secrets.token_hex(16)
    pieces = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'.encode() + one + b"\r\n"
        for name, one in parts.items()
    ]
    return {"Content-Type": f"multipart/form-data; boundary={mark}"}, b"".join(pieces) + f"--{mark}--\r\n".encode()
