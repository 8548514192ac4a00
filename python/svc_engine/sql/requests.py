"""The requests of a SQL process. Whatever a database says comes back as a text; the server shows it as the cell's error."""

import os
from contextlib import closing, contextmanager, suppress
from importlib import import_module

from svc_engine.data import require
from svc_engine.sql.binds import NotBindable, read_binds, read_frame, read_table
from svc_engine.sql.places_of_cells import as_user_of_cells
from svc_engine.sql.results import keep, shown_rows

_DRIVERS = {
    "sqlite": "sqlite_driver",
    "duckdb": "duckdb_driver",
    "postgresql": "postgresql_driver",
    "snowflake": "snowflake_driver",
    "bigquery": "bigquery_driver",
}
_DML = {"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE"}


def query(params):
    """Runs statements that only read and keeps the result of one of them."""
    return _told("SQL execution failed", lambda: _query(params))


def write(params):
    """Runs statements in order in one transaction and keeps what each of them did."""
    return _told("SQL execution failed", lambda: _write(params))


def probe(params):
    """`{freshness, schema}` of the tables; freshness is null where only this session can be trusted."""
    return _told("probe failed", lambda: _probe(params))


def weigh(params):
    """How much of a lake a query would bring here: address → `{snapshot, bytes}`."""
    given = params["connection"]
    return _told("weighing failed", lambda: {"tables": _lake(given).sizes()})


def schema(params):
    connection = {**params["connection"], "looks": True}
    with _acting_for(connection):
        opened = _told(f"failed to open connection '{params['name']}'", lambda: {"session": _open(connection)})
        if "error" in opened:
            return opened
        with closing(opened["session"]) as session:
            return _told(f"schema enumeration failed for '{params['name']}'", lambda: {"tables": session.tables()})


def preview(params):
    """The first rows of a table as texts: `{columns, rows}`, with None for what is NULL."""

    def ask():
        given = params["connection"]
        mark = "`" if given["driver"] == "bigquery" else '"'
        table = ".".join(f"{mark}{part.replace(mark, mark * 2)}{mark}" for part in params["table"])
        with _session(given) as session:
            return shown_rows(session.rows(f"SELECT * FROM {table} LIMIT {int(params['rows'])}", []))

    return _told(f"'{params['table'][-1]}' could not be read", ask)


def functions(params):
    """Names of functions of a driver that needs no database to tell them."""
    if params["driver"] not in ("duckdb", "sqlite"):
        return {"names": []}

    def ask():
        with _session({"driver": params["driver"], "path": ":memory:"}) as session:
            return {"names": session.functions()}

    return _told("functions could not be listed", ask)


def columns(params):
    """Names of the columns of the files that a connection shows."""

    def ask():
        with _session(params["connection"]) as session:
            return {"names": session.file_columns()}

    return _told("columns could not be listed", ask)


def _query(params):
    binds = read_binds(params["binds"])
    with _opened(params) as session:
        results = [
            session.rows(_as_asked(params["connection"], one["text"]), [binds[name] for name in one["binds"]])
            for one in params["statements"]
        ]
        found, files = results[session.kept], _files_of(session)
    return {"result": keep(found, params["file"]), "files": files}


@contextmanager
def _opened(params, writable=False):
    """A session beside what the query reads of the notebook: values of cells, and files of the folder that cells run in."""
    connection = params["connection"]
    tables = {name: read_table(file) for name, file in params["tables"].items()}
    read = {name: read_frame(file) for name, file in params["frames"].items()}
    frames = {name: table for name, table in read.items() if table is not None}
    known = {"frames": frames} if frames else {}
    folder = connection.get("folder")
    # On a shared server names of files are not left to the database.
    if folder is not None and not connection.get("confined"):
        os.chdir(folder)
    try:
        with _session(connection, writable=writable, tables=tables, **known) as session:
            yield session
    finally:
        os.chdir("/")


def _files_of(session):
    return session.files() if hasattr(session, "files") else []


def _as_asked(connection, text):
    at = connection.get("snapshotAt")
    return text if at is None else import_module("svc_engine.sql.time_travel").as_of(text, connection["driver"], at)


def _write(params):
    pa = require("pyarrow")
    binds = read_binds(params["binds"])
    done = []
    with _opened(params, writable=True) as session:
        for one in params["statements"]:
            counts = one["kind"].split(" ")[0] in _DML
            affected = session.change(one["text"], [binds[name] for name in one["binds"]], counts)
            done.append((one["kind"], affected if counts else None))
        session.commit()
        files = _files_of(session)
    table = pa.table(
        {
            "stmt": pa.array(range(1, len(done) + 1), pa.int32()),
            "kind": pa.array([kind for kind, _ in done], pa.string()),
            "rows_affected": pa.array([affected for _, affected in done], pa.int64()),
        }
    )
    return {"result": keep(table, params["file"], shown=len(done)), "files": files}


def _probe(params):
    with _session({**params["connection"], "looks": True}) as session:
        return {"freshness": session.freshness(params["tables"]), "schema": session.columns(params["tables"])}


def _lake(connection):
    lake = import_module("svc_engine.sql.lake")
    return lake.Lake(connection["catalog"], connection["lakeTables"], connection["lakePins"])


@contextmanager
def _session(connection, **more):
    with _acting_for(connection), closing(_open(connection, **more)) as session:
        yield session


def _acting_for(connection):
    path = connection.get("path", ":memory:")
    mounted = [place["root"] for place in (connection.get("mounts") or {}).values()]
    return as_user_of_cells([*mounted, *([] if path == ":memory:" else [path])], lambda: _load(connection["driver"]))


def _load(driver):
    """What databases are read with may lie where only the server reads, and much of it is loaded with the first rows. What is
    missing is told by who needs it."""
    with suppress(Exception):
        import_module("pyarrow.dataset")
        with closing(_open({"driver": driver, "path": ":memory:"}, writable=True)) as session:
            session.rows("SELECT 1 AS n, 'a' AS word, 1.5 AS part, CURRENT_TIMESTAMP AS now", [])


def _open(connection, writable=False, tables=None, **more):
    driver = import_module(f"svc_engine.sql.{_DRIVERS[connection['driver']]}")
    return driver.open_session(connection, writable=writable, tables=tables or {}, **more)


def _told(what, work):
    try:
        return work()
    except NotBindable as problem:
        return {"error": str(problem)}
    except Exception as problem:  # noqa: BLE001 (drivers raise what they like; all of it is the cell's error)
        return {"error": f"{what}: {' | '.join(_reasons(problem))}"}


def _reasons(problem):
    seen = []
    while problem is not None and len(seen) < 5:
        text = str(problem).strip() or type(problem).__name__
        if text not in seen:
            seen.append(text)
        problem = problem.__cause__
    return seen
