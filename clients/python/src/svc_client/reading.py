"""A response that is read like a file while it arrives."""

from __future__ import annotations

import httpx


class ResponseFile:
    """As much of a file as Arrow needs to read a stream."""

    closed = False

    def __init__(self, response: httpx.Response) -> None:
        self._chunks = response.iter_raw()
        self._rest = memoryview(b"")

    def read(self, size: int = -1) -> bytes:
        parts: list[memoryview] = []
        missing = size
        while missing != 0:
            if not self._rest:
                chunk = next(self._chunks, None)
                if chunk is None:
                    break
                self._rest = memoryview(chunk)
            part = self._rest if missing < 0 else self._rest[:missing]
            self._rest = self._rest[len(part) :]
            parts.append(part)
            missing -= len(part) if missing > 0 else 0
        return b"".join(parts)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True
