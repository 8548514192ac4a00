"""Pickles whose large buffers lie behind them in the same file, each at a multiple of 64 bytes:

    header    a pickle of its own: what the caller says, `payload_bytes`, and `buffer_bytes`, a list
    payload   a pickle of protocol 5, in which the buffers are named by their turn
    buffers   as they lay in memory

Writing copies no buffer, and reading maps them: they are there at once, and a cell that writes to one changes its own.
"""

import mmap
import pickle

from svc_runtime.values.encoding import expect

ALIGNMENT = 64
# A smaller one is copied in less time than it takes to speak of it.
SMALLEST_BYTES = 16 * 1024


class Buffers:
    """Takes the large buffers out of a pickle that is being made: `buffer_callback` of a pickler."""

    def __init__(self, stream=None):
        self.views = []
        self._stream = stream
        self._bytes = 0

    def __call__(self, buffer):
        """True for one that stays in the pickle."""
        view = buffer.raw()
        if view.nbytes < SMALLEST_BYTES:
            return True
        self._bytes += view.nbytes
        expect(self._stream, self._bytes)
        self.views.append(view)
        return False


def write(stream, header, payload, views):
    sizes = {"payload_bytes": len(payload), "buffer_bytes": [view.nbytes for view in views]}
    head = pickle.dumps({**header, **sizes}, 5)
    stream.write(head)
    stream.write(payload)
    at = len(head) + len(payload)
    for view in views:
        stream.write(bytes(-at % ALIGNMENT))
        stream.write(view)
        at += -at % ALIGNMENT + view.nbytes


def read(file, header):
    """(payload, buffers) of an open file from which the header has just been read."""
    at = file.tell()
    memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    payload = _cut(memory, at, header["payload_bytes"])
    at += len(payload)
    buffers = []
    for size in header["buffer_bytes"]:
        at += -at % ALIGNMENT
        buffers.append(_cut(memory, at, size))
        at += size
    return payload, buffers


def _cut(memory, at, size):
    if at + size > len(memory):
        raise ValueError("the file of this value is cut short; run the cell that makes it again")
    return memory[at : at + size]
