"""What passes between the server and the zygote: four bytes of length, one byte of kind, four bytes of run, payload.

The twin of `src/runtimes/python/envelope.ts`. Console bytes travel as they are; every other payload is JSON.
"""

import struct

MAX_PAYLOAD_BYTES = 64 * 1024 * 1024
HEADER = struct.Struct("<IBI")
_AFTER_LENGTH = HEADER.size - 4

# From the server.
START, SAY, STOP = 1, 2, 3
# To the server.
READY, BEGUN, STDOUT, STDERR, MESSAGE, RESULT, ENDED = 10, 11, 12, 13, 14, 15, 16


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
