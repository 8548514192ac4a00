"""What a call consists of, without doing it: requests and pauses, one after another.

Every call is written once, as a generator of these; the blocking and the asynchronous client each know how to carry them
out. That keeps the two the same.
"""

from __future__ import annotations

import json as _json
import random
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from .errors import refusal

R = TypeVar("R")


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: May be sent again when the server says that it is busy, or when the connection broke.
    repeatable: bool = True
    #: Statuses that are answers here, not failures.
    accept: frozenset[int] = frozenset()
    timeout: float | None = None


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return _json.loads(self.body) if self.body else None


Steps = Generator[Request | Pause, Answer, R]


@dataclass(frozen=True)
class RetryConfig:
    """How often a request is sent again to a server that is busy, and how long to wait when it does not say."""

    max_retries: int = 3
    base_delay: float = 1.0
    max_delay: float = 30.0
    jitter: float = 1.0

    def delay(self, attempt: int, retry_after: str | None) -> float:
        spread = random.uniform(0, self.jitter)
        if retry_after is not None and retry_after.isdigit():
            return float(retry_after) + spread
        return min(self.base_delay * 2**attempt + spread, self.max_delay)


BUSY = frozenset({429, 503})


def persistently(request: Request, retry: RetryConfig) -> Steps[Answer]:
    """One request, again while the server is busy. Raises SvcError for every other refusal."""
    attempt = 0
    while True:
        answer = yield request
        busy = answer.status in BUSY and answer.status not in request.accept
        if not busy or not request.repeatable or attempt >= retry.max_retries:
            return checked(request, answer)
        yield Pause(retry.delay(attempt, answer.headers.get("retry-after")))
        attempt += 1


def insistent(steps: Steps[R], retry: RetryConfig) -> Steps[R]:
    """The same steps, with every request sent again while the server is busy."""
    answer: Any = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as end:
            return end.value
        answer = (yield from persistently(step, retry)) if isinstance(step, Request) else (yield step)


def checked(request: Request, answer: Answer) -> Answer:
    if answer.status >= 400 and answer.status not in request.accept:
        raise refusal(answer.status, answer.body, answer.headers.get("x-request-id"))
    return answer


def quoted(part: object) -> str:
    return quote(str(part), safe="")


def named(name: str) -> str:
    """Names may hold slashes, which are part of the address."""
    return quote(name, safe="/")

