"""Requests as the HTTP library sends them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from .exchange import Answer, Request

DEFAULT_TIMEOUT = 300.0


def request_headers(api_key: str | None, headers: Mapping[str, str] | None) -> dict[str, str]:
    return {**({"Authorization": f"Bearer {api_key}"} if api_key else {}), **(headers or {})}


def arguments(request: Request, base_url: str) -> dict[str, Any]:
    path = request.path
    return {
        "method": request.method,
        "url": path if path.startswith(("http://", "https://")) else f"{base_url}{path}",
        "params": dict(request.params) or None,
        "json": request.json,
        "content": request.content,
        "headers": dict(request.headers),
        **({"timeout": request.timeout} if request.timeout is not None else {}),
    }


def answer_of(response: httpx.Response) -> Answer:
    return Answer(response.status_code, response.headers, response.content)


def lost_connection(request: Request) -> Answer:
    """A broken connection counts as a busy server where the request may be sent again."""
    return Answer(503, {}, f"{request.method} {request.path}: the connection broke".encode())
