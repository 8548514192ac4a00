"""A file that is open for writing is kept as where it stands: whoever reads the handle opens the same file again at the same place, and
what was written before stays.
"""

import io
import os
import stat


def place_of(value):
    """How to open it again; None when that is no file of a disk, or only read from."""
    if not isinstance(value, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)) or not isinstance(value.name, str):
        return None
    try:
        if value.closed:
            return {"path": _path(value), "mode": "closed"} if _mode(value) != "r" else None
        if _mode(value) == "r" or not stat.S_ISREG(os.fstat(value.fileno()).st_mode):
            return None
        value.flush()
        return {"path": _path(value), "mode": _mode(value), **_coding(value), "at": value.tell()}
    except (OSError, ValueError):
        return None


def reopened(place):
    if place["mode"] == "closed":
        file = open(os.devnull, "w")
        file.close()
        return file
    coding = {key: place[key] for key in ("encoding", "errors") if key in place}
    try:
        file = open(place["path"], place["mode"], **coding)
    except FileNotFoundError:
        raise FileNotFoundError(f"{place['path']} was open in a cell above, and is gone: run that cell again") from None
    file.seek(place["at"])
    return file


def _path(value):
    return os.path.relpath(value.name) if not os.path.isabs(value.name) else value.name


def _mode(value):
    """Never one that empties the file."""
    mode = value.mode.replace("t", "").replace("U", "")
    if mode.strip("b") == "r":
        return "r"
    binary = "b" if "b" in mode else ""
    if "a" in mode:
        return f"a{binary}+" if "+" in mode else f"a{binary}"
    return f"r{binary}+"


def _coding(value):
    return {"encoding": value.encoding, "errors": value.errors} if isinstance(value, io.TextIOWrapper) else {}
