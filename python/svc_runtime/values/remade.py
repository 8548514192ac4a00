"""Values that cannot be written down (a generator, an open file, a connection, a lock) are kept as how they came about: the source of
their cell. Whoever reads one runs that source first, in its own process, with the inputs that the cell had.

Only where that is cheap, and does nothing outside a second time. A file that is open for writing is opened again instead, and so
is a database of SQLite.
"""

import builtins
import contextlib
import hashlib
import io
import json
import os
import types

from svc_runtime import comms, displays
from svc_runtime.values import databases, open_files
from svc_runtime.values.encoding import file_stem

CONTENT_TYPE = "cell/remade"
MAX_SECONDS = 2
_DATABASES = {"sqlite3", "duckdb", "_duckdb", "psycopg", "psycopg2", "pymysql", "mysql", "pyodbc", "oracledb", "snowflake"}
_SUFFIX = ".remade.json"

_made = {}  # how it came about -> what came of that in this process


def objection(seconds, effects):
    """Why a cell must not be run again for whoever reads from it; None when it may."""
    if seconds > MAX_SECONDS:
        return f"took {seconds:.0f} s"
    for what, words in (("written", "wrote files"), ("hosts", "asked another machine"), ("programs", "started a program"), ("asked", "asked a person")):
        if effects.get(what):
            return words
    return None


def kind_of(value):
    """What something is that no file can hold, in a word; None for what may well be kept, or opened again."""
    try:
        return _kind_of(value)
    except Exception:
        return None  # what an object says of itself is up to its class


def _kind_of(value):
    if isinstance(value, (types.GeneratorType, types.AsyncGeneratorType)):
        return "generator"
    if isinstance(value, types.CoroutineType):
        return "coroutine"
    if isinstance(value, io.IOBase) and not isinstance(value, (io.BytesIO, io.StringIO)):
        return "open file" if open_files.place_of(value) is None else None
    home, name = type(value).__module__, type(value).__name__
    if home in ("_thread", "threading"):
        return "lock" if "lock" in name.lower() else name
    if home in ("socket", "_socket", "ssl") and "socket" in name.lower():
        return "socket"
    return name.lower() if home.partition(".")[0] in _DATABASES and name.endswith(("Connection", "Cursor")) else None


def is_worked_on(value):
    """Whether a writer may hold it that cannot be kept itself."""
    return isinstance(value, (io.StringIO, io.BytesIO))


def store(name, value, job, folder, objection):
    """Keep how a variable of the cell came about, and give its record; None when it cannot be made anew."""
    how = _how(name, value, job, objection)
    if how is None:
        return None
    file = file_stem(name) + _SUFFIX
    text = json.dumps(how, sort_keys=True).encode()
    with open(os.path.join(folder, file), "wb") as stream:
        stream.write(text)
    kind = type(value).__name__
    record = {"content_type": CONTENT_TYPE, "file": file, "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    return {**record, "type": kind, "preview": f"<{kind}, made anew by each cell that reads it>"}


def _how(name, value, job, objection):
    if place := open_files.place_of(value):
        return {"file": place}
    if objection is None:
        return {"cell_id": job["cell_id"], "source": job["source"], "name": name}
    place = databases.place_of(value)
    return {"database": place} if place else None


def read(spec, read_input):
    with open(spec["file"], encoding="utf-8") as file:
        made = json.load(file)
    if "file" in made:
        return _once(spec["file"], lambda: open_files.reopened(made["file"]))
    if "database" in made:
        return _once(spec["file"], lambda: databases.again(made["database"], _once))
    inputs = spec.get("injected", {})
    # Two names of one cell come from one run of it.
    how = json.dumps([made["cell_id"], made["source"], inputs], sort_keys=True)
    def run():
        given = {name: read_input(name, inner) for name, inner in inputs.items()}
        return _run(made["cell_id"], made["source"], given)

    return _once(how, run)[made["name"]]


def _once(how, make):
    if how not in _made:
        _made[how] = make()
    return _made[how]


def _run(cell_id, source, given):
    from svc_runtime.cell import Cell

    namespace = {"__name__": "__main__", "__builtins__": builtins, "display": displays.display, **given}
    before = displays.collect([])
    try:
        quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        with quiet[0], quiet[1], comms.desk.of_cell(cell_id):
            Cell(cell_id, source).run(namespace)
    finally:
        displays.put_back(before)
    return namespace
