"""One way to write a value: its content type, what a record says of it, and how its bytes are made.

A value has several possible encodings, best first. Making bytes may fail (a column of mixed types); the next one is
tried then, and only when none is left the value counts as unserialisable.
"""

import contextlib
import hashlib
import io
import os
import queue
import threading

from svc_runtime.values.known_file import known_file


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


class TooLarge(Exception):
    """A value takes more room than it is worth."""


class StorageFailed(Exception):
    """The storage, and not the value, is why it could not be written."""


def expect(stream, size):
    """Say how much is to come, so that what does not fit is refused before it is made."""
    if size > getattr(stream, "room", size):
        raise TooLarge


class HashingFile(io.RawIOBase):
    """A file whose digest is known when it has been written. Writers must not change what they have handed over.

    `known`: the file that the value had the last time; it is taken instead when it turns out to be the same.
    """

    def __init__(self, path, most=None, known=None):
        self.size = 0
        self._path = path
        self._known = known
        self._is_known = False
        self.failure = None  # of the storage; who writes through us may wrap what we raise
        self._most = most
        self._digest = Digest()
        self._file = None
        with self._storage():
            self._file = open(path, "wb", buffering=0)

    @property
    def room(self):
        return float("inf") if self._most is None else self._most - self.size

    def writable(self):
        return True

    def write(self, data):
        view = memoryview(data).cast("B")
        expect(self, len(view))
        if self._known is None or not self._known.goes_on_with(view, self.size):
            self._part_from_known()
            self._put(view)
        self.size += len(view)
        return len(view)

    def _put(self, view):
        self._digest.update(view)
        rest = view
        with self._storage():
            while rest:
                rest = rest[self._file.write(rest) :]

    def _part_from_known(self):
        """It was the same up to here."""
        known, self._known = self._known, None
        if known is not None:
            for piece in known.pieces(self.size):
                self._put(memoryview(piece))

    def close(self):
        if self._file is not None and not self._file.closed:
            self._is_known = self._known is not None and self.size == self._known.size and self._known.link_as(self._path)
            if not self._is_known:
                self._part_from_known()
            with self._storage():
                if self.size >= Digest.BIG and not self._is_known:
                    os.fsync(self._file.fileno())  # beside the digest; whoever keeps the file has less to wait for
                self._file.close()
        super().close()

    @contextlib.contextmanager
    def _storage(self):
        try:
            yield
        except OSError as problem:
            self.failure = StorageFailed(f"what the cell made could not be stored: {problem}")
            raise self.failure from problem

    @property
    def digest(self):
        return self._known.sha256 if self._is_known else self._digest.finish()


class Digest:
    """SHA-256, beside the writing when there is much: it takes longer than the disk."""

    BIG = 1024 * 1024

    def __init__(self):
        self._hash = hashlib.sha256()
        self._bytes = 0
        self._queue = None
        self._thread = None

    def update(self, view):
        self._bytes += len(view)
        if self._queue is None and self._bytes < self.BIG:
            self._hash.update(view)
            return
        if self._queue is None:
            self._queue = queue.SimpleQueue()
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        self._queue.put(view)

    def finish(self):
        if self._queue is not None:
            self._queue.put(None)
            self._thread.join()
            self._queue = None
        return self._hash.hexdigest()

    def _work(self):
        while (view := self._queue.get()) is not None:
            self._hash.update(view)


def file_stem(name):
    """Two names that differ in case only must not meet on a disk that does not tell them apart."""
    if name == name.lower():
        return name
    return f"{name}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def store(encodings, folder, stem, most=None, known=None):
    """Write the first encoding that works, and give its record; the last failure becomes a record of its own.

    `most`: the bytes that it may take. `known`: the file that the value had the last time, and its digest.
    """
    problem = None
    for encoding in encodings:
        file = stem + encoding.suffix
        path = os.path.join(folder, file)
        stream = None
        try:
            with known_file(known) as last, HashingFile(path, most, last) as stream:
                more = encoding.write(stream)
            record = {"content_type": encoding.content_type, "file": file, "bytes": stream.size}
            return {**record, "sha256": stream.digest, **encoding.facts, **(more or {}), "preview": encoding.preview}
        except Exception as failure:
            problem = failure if stream is None else stream.failure or failure
            _discard(path)
            if isinstance(problem, (TooLarge, StorageFailed)):
                break  # another encoding would hardly be smaller, or find more room
    raise problem or TypeError("nothing can write this value")


def _discard(path):
    try:
        os.unlink(path)
    except OSError:
        pass
