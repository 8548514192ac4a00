"""Frames on a pipe: four bytes of length, little-endian, then that many bytes of strict JSON in UTF-8.

The twin of `src/engine/frames.ts`. Every frame written here is ASCII: a lone surrogate leaves as its escape, and NaN,
which JSON does not have, is refused rather than written.
"""

import json

MAX_FRAME_BYTES = 64 * 1024 * 1024


class FrameTooLarge(ValueError):
    pass


def read_frame(stream):
    """The bytes of the next frame, or None when the other side has closed the pipe."""
    header = stream.read(4)
    if len(header) < 4:
        return None
    length = int.from_bytes(header, "little")
    if length > MAX_FRAME_BYTES:
        raise FrameTooLarge(f"a frame of {length} bytes was announced; the limit is {MAX_FRAME_BYTES}")
    body = stream.read(length)
    return body if len(body) == length else None


def encode_frame(message):
    body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME_BYTES:
        raise FrameTooLarge(f"the answer takes {len(body)} bytes; the limit is {MAX_FRAME_BYTES}: ask for less at once")
    return len(body).to_bytes(4, "little") + body


def write_frame(stream, frame):
    stream.write(frame)
    stream.flush()
