"""The file that a variable had the last time. As long as the bytes that come now are those, nothing is written and nothing summed up; in the
end it is the same file, under a further name. A cell that runs again and makes what it made is done as soon as that is seen.
"""

import contextlib
import os

# Small ones are written sooner than compared.
LEAST = 1024 * 1024
_PIECE = 256 * 1024


class KnownFile:
    def __init__(self, file, sha256):
        self.sha256 = sha256
        self._file = file
        self._descriptor = os.open(file, os.O_RDONLY)
        self.size = os.fstat(self._descriptor).st_size

    def goes_on_with(self, view, at):
        """Whether these bytes stand in it at this place."""
        if at + len(view) > self.size:
            return False
        return all(
            os.pread(self._descriptor, _PIECE, at + start)[: len(view) - start] == bytes(view[start : start + _PIECE])
            for start in range(0, len(view), _PIECE)
        )

    def pieces(self, size):
        """Its first bytes."""
        for start in range(0, size, _PIECE):
            yield os.pread(self._descriptor, min(_PIECE, size - start), start)

    def link_as(self, path):
        """False where the system does not allow it, as for files of another user."""
        beside = f"{path}.known"
        try:
            os.link(self._file, beside)
            os.replace(beside, path)
            return True
        except OSError:
            return False

    def close(self):
        os.close(self._descriptor)


@contextlib.contextmanager
def known_file(spec):
    """None where nothing was stored, it was little, it has gone meanwhile, or the system cannot do it."""
    found = None
    with contextlib.suppress(OSError):
        if spec is not None and hasattr(os, "pread") and os.stat(spec["file"]).st_size >= LEAST:
            found = KnownFile(**spec)
    try:
        yield found
    finally:
        if found is not None:
            found.close()
