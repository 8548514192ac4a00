"""SQLite files. Freshness is that of the whole file: what its header, its size and its log say."""

import os
import sqlite3
from urllib.parse import quote, unquote, urlsplit

from svc_engine.sql.columns import from_rows


def open_session(connection, writable, tables):
    return Session(connection, writable)


class Session:
    kept = 0  # of several reads the first one's rows are the result

    def __init__(self, connection, writable):
        self._file = _file_of(connection)
        uri = connection.get("uri") or _uri_of(connection["path"], writable)
        self._database = sqlite3.connect(uri, uri=uri != ":memory:", isolation_level=None)
        self._writable = writable
        if connection.get("confined") or not writable:
            self._database.set_authorizer(_without_other_files)
        if writable:
            self._database.execute("BEGIN IMMEDIATE")
        else:
            self._database.execute("PRAGMA query_only = ON")

    def rows(self, text, binds):
        cursor = self._database.execute(text, [_bindable(value) for value in binds])
        names = [column[0] for column in cursor.description or ()]
        return from_rows(names, cursor.fetchall())

    def change(self, text, binds, counts):
        cursor = self._database.execute(text, [_bindable(value) for value in binds])
        cursor.fetchall()
        if counts and cursor.rowcount < 0:
            return self._database.execute("SELECT changes()").fetchone()[0]
        return cursor.rowcount

    def commit(self):
        if self._database.in_transaction:
            self._database.execute("COMMIT")

    def freshness(self, _tables):
        if self._file is None:
            return None
        version = self._database.execute("PRAGMA schema_version").fetchone()[0]
        with open(self._file, "rb") as file:
            counter = file.read(28)[24:28].hex()
        return [version, counter, *_stamp(self._file), *_stamp(f"{self._file}-wal")]

    def columns(self, tables):
        return [[parts, self._columns(parts[-1])] for parts in tables]

    def tables(self):
        found = self._database.execute(
            "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
            "ESCAPE '\\' ORDER BY name"
        )
        names = [name for (name,) in found]
        return [{"catalog": None, "schema": None, "name": name, "columns": self._columns(name)} for name in names]

    def functions(self):
        found = self._database.execute("SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' ORDER BY 1")
        return [name for (name,) in found]

    def close(self):
        self._database.close()

    def _columns(self, table):
        found = self._database.execute('SELECT name, type, "notnull" FROM pragma_table_info(?)', [table])
        return [{"name": name, "type": kind, "nullable": not required} for name, kind, required in found]


def _uri_of(path, writable):
    return path if path == ":memory:" else f"file:{quote(path)}?mode={'rwc' if writable else 'ro'}"


def _file_of(connection):
    if connection.get("uri"):
        place = urlsplit(connection["uri"])
        path = unquote(place.path)
        return None if path in ("", ":memory:") or "mode=memory" in place.query else path
    return None if connection["path"] == ":memory:" else connection["path"]


def _without_other_files(action, *_details):
    return sqlite3.SQLITE_DENY if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH) else sqlite3.SQLITE_OK


def _stamp(file):
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def _bindable(value):
    return value if value is None or isinstance(value, (bool, int, float, str, bytes)) else str(value)
