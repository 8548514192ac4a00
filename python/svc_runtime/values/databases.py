"""Connections of SQLite, and cursors of them, whose cell must not be run again: one to a file is opened again, one in memory is kept
as the bytes of its database. What was not committed in a file is committed, since its readers have connections of their own.
"""

import base64
import os
import sys

_LARGEST = 64 * 1024 * 1024


def place_of(value):
    """How to have it again; None for what is none of SQLite's, is closed, or has something that nobody can see from outside."""
    sqlite3 = sys.modules.get("sqlite3")
    if sqlite3 is None or not isinstance(value, (sqlite3.Connection, sqlite3.Cursor)):
        return None
    is_cursor = isinstance(value, sqlite3.Cursor)
    connection = value.connection if is_cursor else value
    try:
        has_rows = is_cursor and value.fetchone() is not None  # the cell is over: nobody else asks for them
        if has_rows or connection.row_factory not in (None, sqlite3.Row):
            return None
        held = _held(connection)
    except sqlite3.Error:
        return None  # closed, or of another thread
    if held is None:
        return None
    rows = "Row" if connection.row_factory is sqlite3.Row else None
    return {"cursor": is_cursor, "connection": {**held, "isolation": connection.isolation_level, "rows": rows}}


def again(place, once):
    """`once`: makes something once in this process, by a name."""
    made = place["connection"]
    connection = once(f"database {sorted(made.items())}", lambda: _connected(made))
    return connection.cursor() if place["cursor"] else connection


def settle(names, namespace):
    """Commit what is open in files, of the names that cells below read; gives the names."""
    sqlite3 = sys.modules.get("sqlite3")
    if sqlite3 is None:
        return []
    found = []
    for name in names:
        value = namespace.get(name)
        connection = value.connection if isinstance(value, sqlite3.Cursor) else value
        try:
            if isinstance(connection, sqlite3.Connection) and connection.in_transaction and _file_of(connection):
                connection.commit()
                found.append(name)
        except sqlite3.Error:
            continue  # locked by somebody else, or closed
    return found


def _file_of(connection):
    cursor = connection.cursor()
    cursor.row_factory = None
    return next((file for _, name, file in cursor.execute("PRAGMA database_list") if name == "main"), "")


def _held(connection):
    file = _file_of(connection)
    if file:
        path = os.path.relpath(file)
        return {"path": file if path.startswith(os.pardir) else path}
    if not hasattr(connection, "serialize"):  # before Python 3.11
        return None
    held = connection.serialize()
    return {"memory": base64.b64encode(held).decode()} if len(held) <= _LARGEST else None


def _connected(made):
    import sqlite3

    if "path" in made and not os.path.exists(made["path"]):
        raise FileNotFoundError(f"{made['path']} was open in a cell above, and is gone: run that cell again")
    connection = sqlite3.connect(made.get("path", ":memory:"), isolation_level=made["isolation"])
    if made.get("memory"):
        connection.deserialize(base64.b64decode(made["memory"]))
    if made["rows"]:
        connection.row_factory = sqlite3.Row
    return connection
