"""DuckDB: a file or memory, tables of other cells, files of the notebook and folders of files beside it. On a shared server
it reaches nothing else: no other files, no network, no extensions."""

import os

from svc_engine.data import require
from svc_engine.sql.files import OpenFiles
from svc_engine.sql.lake import Lake, quoted


def open_session(connection, writable, tables, frames=None):
    return Session(connection, writable, tables, frames)


class Session:
    kept = -1  # of several reads the last one's rows are the result

    def __init__(self, connection, writable, tables, frames=None):
        duckdb = require("duckdb")
        self._path = connection["path"]
        self._is_file = self._path != ":memory:"
        if self._is_file and not writable and not os.path.exists(self._path):
            raise FileNotFoundError(f"there is no database at {self._path}")
        mounts = connection.get("mounts") or {}
        catalog = connection.get("catalog")
        wanted, pins = connection.get("lakeTables") or [], connection.get("lakePins") or {}
        self._lake = Lake(catalog, wanted, pins) if catalog else None
        beside = bool(mounts or catalog) and self._is_file
        self._database = duckdb.connect(
            ":memory:" if beside else self._path, read_only=self._is_file and not writable and not beside
        )
        self._database.execute("SET TimeZone = 'UTC'")  # times with a zone read the same on every machine
        # A name of the query is no variable of this program.
        self._database.execute("SET python_enable_replacements = false")
        if beside:
            self._attach([*mounts, *([catalog["name"]] if catalog else [])])
        for name, place in mounts.items():
            self._mount(name, place)
        if self._lake and not connection.get("looks"):
            self._lake.attach(self._database)
        for name, table in tables.items():
            self._database.register(name, table)
        for name, table in (frames or {}).items():
            if not self._has(name):  # as in DuckDB: a table of the database comes first
                self._database.register(name, table)
        self._files = OpenFiles(connection.get("files") or (), connection.get("folder"), connection.get("confined"))
        for name, source in self._files.sources().items():
            self._database.execute(f"CREATE TEMP VIEW {quoted(name)} AS SELECT * FROM {source}")
        if connection.get("confined"):
            self._confine([place["root"] for place in mounts.values()], self._files.places())
        self._database.execute("BEGIN TRANSACTION" if writable else "BEGIN TRANSACTION READ ONLY")

    def rows(self, text, binds):
        return self._database.execute(text, binds).to_arrow_table()

    def change(self, text, binds, counts):
        rows = self._database.execute(text, binds).fetchall()
        return rows[0][0] if counts and rows and isinstance(rows[0][0], int) else None

    def commit(self):
        self._database.execute("COMMIT")

    def freshness(self, tables):
        if tables and not self._is_file:
            return None
        file = [*_stamp(self._path), *_stamp(f"{self._path}.wal")] if tables else []
        return {"file": file, "snapshots": self._lake.snapshots() if self._lake else {}}

    def columns(self, tables):
        found = self._listed()
        names = {parts[-1].lower() for parts in tables}
        return [row for row in found if row[2].lower() in names]

    def tables(self):
        tables = {}
        listed = [*self._listed(), *(self._lake.listed() if self._lake else ())]
        for catalog, schema, name, column, kind, nullable in listed:
            table = tables.setdefault(
                (catalog, schema, name), {"catalog": catalog, "schema": schema, "name": name, "columns": []}
            )
            table["columns"].append({"name": column, "type": kind, "nullable": nullable})
        return list(tables.values())

    def files(self):
        """The files that were opened for the query, as they were then."""
        return self._files.told()

    def file_columns(self):
        described = (f"DESCRIBE SELECT * FROM {source}" for source in self._files.sources().values())
        return [row[0] for text in described for row in self._database.execute(text).fetchall()]

    def functions(self):
        found = self._database.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type <> 'pragma' "
            "AND regexp_full_match(function_name, '[a-z][a-z0-9_]*') AND NOT starts_with(function_name, 'pg_') ORDER BY 1"
        )
        return [name for (name,) in found.fetchall()]

    def close(self):
        self._database.close()
        self._files.close()

    def _has(self, name):
        found = self._database.execute(
            "SELECT count(*) FROM (SELECT table_name AS name, schema_name, internal FROM duckdb_tables() UNION ALL "
            "SELECT view_name, schema_name, internal FROM duckdb_views()) "
            "WHERE NOT internal AND schema_name = 'main' AND lower(name) = lower(?)",
            [name],
        )
        return found.fetchall()[0][0] > 0

    def _listed(self):
        rows = self._database.execute(
            "SELECT database_name, schema_name, table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
            "WHERE NOT internal ORDER BY database_name, schema_name, table_name, column_index"
        )
        return [list(row) for row in rows.fetchall()]

    def _attach(self, taken):
        stem = os.path.splitext(os.path.basename(self._path))[0]
        if stem.lower() in {"memory", "temp", "system", "main"} | {name.lower() for name in taken}:
            stem = f"{stem}_file"
        self._database.execute(f"ATTACH {_text(self._path)} AS {quoted(stem)} (READ_ONLY)")
        self._database.execute(f"SET search_path = {_text(f'{quoted(stem)}.main,memory.main')}")

    def _mount(self, name, place):
        reader = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}[place["format"]]
        self._database.execute(
            f"CREATE VIEW memory.main.{quoted(name)} AS SELECT * FROM {reader}({_text(place['glob'])}, union_by_name = true)"
        )

    def _confine(self, roots, files):
        if roots:
            self._database.execute(f"SET allowed_directories = [{', '.join(map(_text, roots))}]")
        if files:
            self._database.execute(f"SET allowed_paths = [{', '.join(map(_text, files))}]")
        for setting in ("enable_external_access = false", "lock_configuration = true"):
            self._database.execute(f"SET {setting}")


def _stamp(file):
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def _text(value):
    return "'" + value.replace("'", "''") + "'"
