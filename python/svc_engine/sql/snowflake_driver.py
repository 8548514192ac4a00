"""Snowflake by its own connector. What may be done is what the role may do: the server's grants decide."""

from urllib.parse import parse_qs, unquote, urlsplit

import snowflake.connector
from snowflake.connector.errors import NotSupportedError

from svc_engine.sql.columns import from_rows

_KEYS = ("account", "user", "role", "warehouse", "database", "schema")
_FRESHNESS = """SELECT table_type, to_varchar(last_altered) FROM {database}information_schema.tables
WHERE table_schema = coalesce(?, current_schema()) AND table_name = ?"""
_COLUMNS = """SELECT table_catalog, table_schema, table_name, column_name, data_type, is_nullable
FROM {database}information_schema.columns WHERE {where} ORDER BY table_schema, table_name, ordinal_position"""


def open_session(connection, writable, tables):
    return Session(connection, writable)


class Session:
    kept = -1

    def __init__(self, connection, writable):
        given = {**_from_uri(connection.get("uri")), **{key: connection[key] for key in _KEYS if connection.get(key)}}
        given.update(connection["auth"])
        if writable and connection.get("write_role"):
            given["role"] = connection["write_role"]
        given.update(_endpoint(connection.get("endpoint")))
        self._database = snowflake.connector.connect(
            **given, paramstyle="qmark", autocommit=not writable, login_timeout=20, client_session_keep_alive=False
        )

    def rows(self, text, binds):
        cursor = self._database.cursor()
        cursor.execute(text, binds)
        try:
            return cursor.fetch_arrow_all(force_return_table=True)
        except NotSupportedError:  # small answers, such as those of SHOW, do not come as Arrow
            return from_rows([column.name for column in cursor.description], [tuple(row) for row in cursor.fetchall()])

    def change(self, text, binds, counts):
        cursor = self._database.cursor()
        cursor.execute(text, binds)
        return cursor.rowcount

    def commit(self):
        self._database.commit()

    def freshness(self, tables):
        found = []
        for parts in tables:
            database, schema, name = _split(parts)
            rows = self._ask(_FRESHNESS.format(database=database), [schema, name])
            # A view does not change when what it reads does.
            if len(rows) != 1 or rows[0][0] != "BASE TABLE":
                return None
            found.append([parts, rows[0][1]])
        return found

    def columns(self, tables):
        where = "table_schema = coalesce(?, current_schema()) AND table_name = ?"
        found = []
        for parts in tables:
            database, schema, name = _split(parts)
            found += self._ask(_COLUMNS.format(database=database, where=where), [schema, name])
        return [list(row) for row in found]

    def tables(self):
        tables = {}
        where = "table_schema <> 'INFORMATION_SCHEMA'"
        for catalog, schema, name, column, kind, nullable in self._ask(_COLUMNS.format(database="", where=where), []):
            table = tables.setdefault(
                (schema, name), {"catalog": catalog, "schema": schema, "name": name, "columns": []}
            )
            table["columns"].append({"name": column, "type": kind, "nullable": nullable == "YES"})
        return list(tables.values())

    def close(self):
        self._database.close()

    def _ask(self, text, binds):
        cursor = self._database.cursor()
        cursor.execute(text, binds)
        return cursor.fetchall()


def _split(parts):
    database, schema, name = [None] * (3 - len(parts)) + list(parts)
    quoted = "" if database is None else '"' + database.replace('"', '""') + '".'
    return quoted, schema, name


def _from_uri(uri):
    if not uri:
        return {}
    place = urlsplit(uri)
    database, _, schema = place.path.strip("/").partition("/")
    given = {
        "account": place.hostname,
        "user": place.username and unquote(place.username),
        "password": place.password and unquote(place.password),
        "database": database,
        "schema": schema,
        **{key: values[-1] for key, values in parse_qs(place.query).items()},
    }
    return {key: value for key, value in given.items() if value}


def _endpoint(address):
    """Another server in the place of the account's own."""
    if not address:
        return {}
    place = urlsplit(address)
    return {"protocol": place.scheme, "host": place.hostname, "port": place.port}
