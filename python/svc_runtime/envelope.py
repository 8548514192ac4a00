"""What passes between the server and the zygote: four bytes of length, one byte of kind, four bytes of run, payload.

The twin of `src/runtimes/python/envelope.ts`. Console bytes travel as they are; every other payload is JSON.
"""

import struct

MAX_PAYLOAD_BYTES = 64 * 1024 * 1024
HEADER = struct.Struct("<IBI")
_AFTER_LENGTH = HEADER.size - 4

# From the server. START_AFRESH: in a process that was started afresh. SPARES: what those load, and how many wait. GROW: go
# on as a copy that has loaded more. LET_GO: a copy has taken over, there will be no other. KIN:
# a process that is one of us, though it may become an orphan. REST: no cell will come.
START, SAY, STOP, START_AFRESH, SPARES, GROW, LET_GO, KIN, REST = 1, 2, 3, 4, 5, 6, 7, 8, 9
# To the server. LOADING, UNFIT: a module is being loaded ahead; it turned out that it must not be. IMPORTING: a cell has
# begun to import a module that was not loaded ahead.
READY, BEGUN, STDOUT, STDERR, MESSAGE, RESULT, ENDED, LOADING, UNFIT, IMPORTING = 10, 11, 12, 13, 14, 15, 16, 17, 18, 19


def pack(kind, run, payload=b""):
    return HEADER.pack(len(payload) + _AFTER_LENGTH, kind, run) + payload


class Reader:
    """Cuts what arrives in pieces into whole envelopes."""

    def __init__(self):
        self._held = bytearray()

    def feed(self, data):
        """Yield (kind, run, payload) for each envelope that is complete by now."""
        held = self._held
        held += data
        while len(held) >= HEADER.size:
            length, kind, run = HEADER.unpack_from(held)
            end = 4 + length
            if length < _AFTER_LENGTH or length > MAX_PAYLOAD_BYTES + _AFTER_LENGTH:
                raise ValueError(f"an envelope of {length} bytes was announced")
            if len(held) < end:
                return
            payload = bytes(memoryview(held)[HEADER.size : end])
            del held[:end]
            yield kind, run, payload
