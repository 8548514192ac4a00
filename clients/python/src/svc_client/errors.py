"""What a server answers instead of doing what it was asked."""

from __future__ import annotations

import json
from typing import Any


class SvcError(Exception):
    """A refusal or a failure, with the server's own words."""

    def __init__(self, status: int, detail: Any, request_id: str | None = None) -> None:
        self.status, self.detail, self.request_id = status, detail, request_id
        said = detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False)
        super().__init__(f"{status}: {said}" + (f" (request {request_id})" if request_id else ""))


class NotFound(SvcError):
    """There is no such thing, or not for this caller."""


class BuildFailed(SvcError, RuntimeError):
    """A computation ended without a result."""


def refusal(status: int, body: bytes, request_id: str | None) -> SvcError:
    kind = NotFound if status == 404 else SvcError
    return kind(status, _detail(body), request_id)


def _detail(body: bytes) -> Any:
    try:
        answer = json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")[:2000]
    return answer.get("detail", answer) if isinstance(answer, dict) else answer
