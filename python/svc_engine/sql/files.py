"""Files of the folder that cells run in, read as tables: `FROM 'sales.csv'`. Each is opened once and read through what was
opened: what is put in its place meanwhile is not read, and on a shared server no link leads out of the folder."""

import os
import re

_FORMATS = {
    "csv": "read_csv",
    "tsv": "read_csv",
    "parquet": "read_parquet",
    "json": "read_json",
    "jsonl": "read_json",
    "ndjson": "read_json",
}
_PACKED = {None: "none", "gz": "gzip", "zst": "zstd"}
_NAME = re.compile(rf"[^*?\[\]]+\.({'|'.join(_FORMATS)})(?:\.(gz|zst))?", re.IGNORECASE)
_ADDRESS = re.compile(r"~|[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PLAIN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def is_file_name(text):
    """Whether it names one file that can be read as a table; patterns and addresses are DuckDB's own."""
    return _NAME.fullmatch(text) is not None and _ADDRESS.match(text) is None


class OpenFiles:
    """`folder`: where names begin. `confined`: nothing else is opened, and no link is followed."""

    def __init__(self, names, folder, confined):
        self._opened = {}
        try:
            for name in names:
                self._opened[name] = _open_below(folder, name) if confined else _open_anywhere(folder, name)
        except BaseException:
            self.close()
            raise
        self._folder = folder

    def sources(self):
        """Name → the call of DuckDB that reads it."""
        return {name: _call(name, descriptor) for name, descriptor in self._opened.items()}

    def places(self):
        return [_place(descriptor) for descriptor in self._opened.values()]

    def told(self):
        """What each file was when it was opened."""
        found = []
        for name, descriptor in self._opened.items():
            is_now = os.fstat(descriptor)
            identity = {"size": is_now.st_size, "mtimeNs": str(is_now.st_mtime_ns), "ino": str(is_now.st_ino)}
            found.append({"path": os.path.normpath(os.path.join(self._folder, name)), "identity": identity})
        return found

    def close(self):
        for descriptor in self._opened.values():
            os.close(descriptor)
        self._opened.clear()


def _open_anywhere(folder, name):
    return _plain(name, lambda: os.open(os.path.join(folder, name), _PLAIN))


def _open_below(folder, name):
    *way, last = name.split("/")
    if any(part in ("", "..") or part.startswith(".") for part in (*way, last)):
        raise PermissionError(f"'{name}' is not a file in the notebook's folder; only such files are read on this server")

    def walk():
        at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in way:
                below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
                os.close(at)
                at = below
            return os.open(last, _PLAIN | os.O_NOFOLLOW, dir_fd=at)
        finally:
            os.close(at)

    return _plain(name, walk)


def _plain(name, open_it):
    try:
        descriptor = open_it()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file '{name}' in the notebook's folder: upload it, or correct its name") from None
    except OSError as problem:
        raise PermissionError(f"'{name}' cannot be read: {problem.strerror}") from None
    if not os.path.isfile(descriptor):
        os.close(descriptor)
        raise PermissionError(f"'{name}' is not a plain file")
    return descriptor


def _place(descriptor):
    return f"/dev/fd/{descriptor}"


def _call(name, descriptor):
    ending, packed = _NAME.fullmatch(name).groups()
    reader = _FORMATS[ending.lower()]
    more = "" if reader == "read_parquet" else f", compression = '{_PACKED[packed and packed.lower()]}'"
    return f"{reader}('{_place(descriptor)}'{more})"
