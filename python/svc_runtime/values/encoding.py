"""One way to write a value: its content type, what a record says of it, and how its bytes are made.

A value has several possible encodings, best first. Making bytes may fail (a column of mixed types); the next one is
tried then, and only when none is left the value counts as unserialisable.
"""

import hashlib
import io
import os
import re


class Encoding:
    def __init__(self, content_type, suffix, write, preview=None, **facts):
        self.content_type = content_type
        self.suffix = suffix
        self.write = write  # a function of a binary stream; may return further facts
        self.preview = preview
        self.facts = facts

    def record(self):
        """What is said of the value whether or not it is stored."""
        return {"content_type": self.content_type, **self.facts, "preview": self.preview}


class HashingFile(io.RawIOBase):
    """A file whose digest is known when it has been written."""

    def __init__(self, path):
        self._file = open(path, "wb", buffering=0)
        self._hash = hashlib.sha256()
        self.size = 0

    def writable(self):
        return True

    def write(self, data):
        view = memoryview(data).cast("B")
        self._hash.update(view)
        self.size += len(view)
        rest = view
        while rest:
            rest = rest[self._file.write(rest) :]
        return len(view)

    def close(self):
        self._file.close()
        super().close()

    @property
    def digest(self):
        return self._hash.hexdigest()


def file_stem(name):
    """Two names that differ in case only must not meet on a disk that does not tell them apart."""
    if not re.search("[A-Z]", name) and name == name.lower():
        return name
    return f"{name}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def store(encodings, folder, stem):
    """Write the first encoding that works, and give its record; the last failure becomes a record of its own."""
    problem = None
    for encoding in encodings:
        file = stem + encoding.suffix
        path = os.path.join(folder, file)
        try:
            with HashingFile(path) as stream:
                more = encoding.write(stream)
            record = {"content_type": encoding.content_type, "file": file, "bytes": stream.size}
            return {**record, "sha256": stream.digest, **encoding.facts, **(more or {}), "preview": encoding.preview}
        except Exception as failure:
            problem = failure
            _discard(path)
    raise problem or TypeError("nothing can write this value")


def _discard(path):
    try:
        os.unlink(path)
    except OSError:
        pass
