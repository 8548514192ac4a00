"""The private pipe on which a cell process answers. Never standard output: a cell may write there what it likes.

Each message begins with a secret of this process, so that bytes a cell writes to the pipe by chance are told apart and
skipped. A process that the cell forked holds neither the pipe nor the right to answer.
"""

import json
import os

SECRET_BYTES = 16
MAX_MESSAGE_BYTES = 48 * 1024 * 1024
_BODY_AT = SECRET_BYTES + 5

# Kinds of messages. After RESULT the process only tidies up; after LEAVING it has no more to do, and after STAYING it is
# as it was before its cell, and waits for another. A process that was started afresh says which module it is LOADING, and
# when it is PARKED. One whose cell begins to import what nobody has loaded ahead says so with IMPORTING.
MESSAGE, RESULT, LEAVING, STAYING, LOADING, PARKED, IMPORTING = 0, 1, 2, 3, 4, 5, 6


class ChannelLost(Exception):
    """The pipe is gone: the cell closed it, or this is not the process that it belongs to."""


class Channel:
    def __init__(self, descriptor, secret):
        self._descriptor = descriptor
        self._secret = secret
        self._held = b""
        self._owner = os.getpid()
        self._identity = _identity(descriptor)
        os.register_at_fork(after_in_child=self._leave)

    def _leave(self):
        if self._descriptor is not None and self._still_ours():
            os.close(self._descriptor)
        self._descriptor = None

    def _still_ours(self):
        # A cell that closed every descriptor may since have opened a file under the same number.
        try:
            return _identity(self._descriptor) == self._identity
        except OSError:
            return False

    @property
    def is_owner(self):
        return os.getpid() == self._owner

    def send(self, message, kind=MESSAGE, more=False):
        """`more`: the next message follows at once, and takes this one along: whoever waits is woken only once."""
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
        if len(body) > MAX_MESSAGE_BYTES:
            raise ValueError(f"the description of the results takes {len(body)} bytes")
        if self._descriptor is None or not self.is_owner or not self._still_ours():
            raise ChannelLost("the cell closed the runtime's own pipe")
        self._held += self._secret + _header(kind, len(body)) + body
        if not more:
            write_all(self._descriptor, self._held)
            self._held = b""


class MessageReader:
    """The zygote's side: yields (kind, body) of each message and drops what lies between them."""

    def __init__(self, secret):
        self._secret = secret
        self._held = bytearray()
        self.strays = 0

    def feed(self, data):
        held = self._held
        held += data
        while True:
            start = held.find(self._secret)
            if start < 0:
                self._drop(max(0, len(held) - SECRET_BYTES + 1))
                return
            self._drop(start)
            if len(held) < _BODY_AT:
                return
            length = int.from_bytes(held[SECRET_BYTES + 1 : _BODY_AT], "little")
            if length > MAX_MESSAGE_BYTES:
                self._drop(SECRET_BYTES)
                continue
            if len(held) < _BODY_AT + length:
                return
            kind = held[SECRET_BYTES]
            body = bytes(memoryview(held)[_BODY_AT : _BODY_AT + length])
            del held[: _BODY_AT + length]
            yield kind, body

    def _drop(self, count):
        self.strays += count
        del self._held[:count]


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def read_exactly(descriptor, count):
    """`count` bytes, or None when the other side has closed before that."""
    parts = []
    while count > 0:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_message(descriptor):
    """A JSON object packed by `message_bytes`; None when there will be no more."""
    header = read_exactly(descriptor, 4)
    if header is None:
        return None
    body = read_exactly(descriptor, int.from_bytes(header, "little"))
    return None if body is None else json.loads(body)


def message_bytes(body):
    return len(body).to_bytes(4, "little") + body


def _header(kind, length):
    return bytes([kind]) + length.to_bytes(4, "little")


def _identity(descriptor):
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
