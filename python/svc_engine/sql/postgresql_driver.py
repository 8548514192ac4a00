"""PostgreSQL by psycopg. Parameters travel beside the text, and the server itself refuses changes in a read session."""

import re

import psycopg
from psycopg import sql
from psycopg.types.string import TextLoader

from svc_engine.data import require
from svc_engine.sql.columns import from_rows

# Passwords, certificates and tickets of whoever runs the server are not for notebooks of others.
_NOTHING_OF_THE_SERVER = {
    "passfile": "/nonexistent/passwords",
    "sslcert": "/nonexistent/certificate",
    "sslkey": "/nonexistent/key",
    "gssencmode": "disable",
}
_FRESHNESS = """
WITH RECURSIVE below(parent, child) AS (
  SELECT inhparent, inhrelid FROM pg_inherits
  UNION ALL
  SELECT r.ev_class, d.refobjid FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
), reached(oid) AS (
  SELECT to_regclass($1)::oid WHERE to_regclass($1) IS NOT NULL
  UNION
  SELECT below.child FROM below JOIN reached ON below.parent = reached.oid
)
SELECT c.oid::text, c.relkind::text, c.relfilenode::text, n.nspname::text, pg_stat_get_tuples_inserted(c.oid),
       pg_stat_get_tuples_updated(c.oid), pg_stat_get_tuples_deleted(c.oid)
FROM reached JOIN pg_class c ON c.oid = reached.oid JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY 1
"""
_COLUMNS = """
SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull FROM pg_attribute a
WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_TABLES = """
SELECT t.table_catalog::text, t.table_schema::text, t.table_name::text, c.column_name::text, c.data_type::text,
       c.is_nullable = 'YES'
FROM information_schema.tables t
JOIN information_schema.columns c USING (table_catalog, table_schema, table_name)
WHERE t.table_schema NOT IN ('pg_catalog', 'information_schema')
ORDER BY t.table_schema, t.table_name, c.ordinal_position
"""


def open_session(connection, writable, tables):
    return Session(connection, writable)


class Session:
    kept = -1

    def __init__(self, connection, writable):
        given = {key: connection[key] for key in ("host", "port", "database", "user") if connection.get(key) is not None}
        given.update({key: value for key, value in connection["auth"].items() if key in ("user", "password")})
        given["dbname"] = given.pop("database", None)
        given = {key: value for key, value in given.items() if value is not None}
        if not connection.get("uri"):
            given = {"host": "localhost", "dbname": "postgres", **given}
        if connection.get("confined"):
            given.update(_NOTHING_OF_THE_SERVER)
        mode = "off" if writable else "on"
        self._database = psycopg.connect(
            connection.get("uri") or "",
            **given,
            connect_timeout=10,
            options=f"-c default_transaction_read_only={mode}",
            cursor_factory=psycopg.RawCursor,
        )
        for kind in ("json", "jsonb", "interval", "timetz"):
            self._database.adapters.register_loader(kind, TextLoader)
        if connection.get("role"):
            self._set("ROLE", connection["role"])
        if connection.get("search_path"):
            self._search(connection["search_path"])

    def rows(self, text, binds):
        cursor = self._database.execute(text, binds, prepare=True)  # so that it takes one statement alone
        described = cursor.description or ()
        rows = cursor.fetchall() if described else []
        types = [self._type(column, [row[index] for row in rows]) for index, column in enumerate(described)]
        plain = [[_plain(value, types[index]) for index, value in enumerate(row)] for row in rows]
        return from_rows([column.name for column in described], plain, types)

    def change(self, text, binds, counts):
        return self._database.execute(text, binds, prepare=True).rowcount

    def commit(self):
        self._database.commit()

    def freshness(self, tables):
        found = []
        for parts in tables:
            rows = self._database.execute(_FRESHNESS, [_spelled(parts)]).fetchall()
            # What is not there, or lies on another server, tells nothing of its changes.
            if not rows or any(row[1] == "f" for row in rows):
                return None
            found.append([list(row) for row in rows])
        return found

    def columns(self, tables):
        return [[list(row) for row in self._database.execute(_COLUMNS, [_spelled(parts)])] for parts in tables]

    def tables(self):
        tables = {}
        for catalog, schema, name, column, kind, nullable in self._database.execute(_TABLES).fetchall():
            table = tables.setdefault(
                (schema, name), {"catalog": catalog, "schema": schema, "name": name, "columns": []}
            )
            table["columns"].append({"name": column, "type": kind, "nullable": nullable})
        return list(tables.values())

    def close(self):
        self._database.close()

    def _set(self, what, name):
        self._database.execute(sql.SQL("SET {} {}").format(sql.SQL(what), sql.Identifier(name)))

    def _search(self, path):
        names = [part.strip() for part in path.split(",")]
        for name in names:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", name):
                raise ValueError(f"options.search_path holds '{name}', which is no plain schema name")
        self._database.execute(
            sql.SQL("SET search_path TO {}").format(sql.SQL(", ").join(map(sql.Identifier, names)))
        )

    def _type(self, column, values):
        pa = require("pyarrow")
        known = {
            "bool": pa.bool_(), "int2": pa.int16(), "int4": pa.int32(), "int8": pa.int64(), "oid": pa.uint32(),
            "float4": pa.float32(), "float8": pa.float64(), "date": pa.date32(), "time": pa.time64("us"),
            "timestamp": pa.timestamp("us"), "timestamptz": pa.timestamp("us", "UTC"), "bytea": pa.binary(),
        }  # fmt: skip
        info = self._database.adapters.types.get(column.type_code)
        name = info.name if info else ""
        if name == "numeric":
            values = [one for value in values for one in (value if isinstance(value, list) else [value])]
            kind = _decimal(pa, column, values)
        else:
            kind = known.get(name, pa.string())
        if info is None or info.array_oid != column.type_code:
            return kind
        return _nested(pa, kind, values)


def _decimal(pa, column, values):
    if column.precision is not None and column.precision <= 76:
        return pa.decimal128(column.precision, column.scale) if column.precision <= 38 else pa.decimal256(
            column.precision, column.scale
        )
    whole = scale = 0
    for value in values:
        if value is None:
            continue
        if not value.is_finite():
            return pa.string()
        _, digits, exponent = value.as_tuple()
        scale = max(scale, -exponent)
        whole = max(whole, len(digits) + exponent)
    precision = max(1, max(whole, 0) + scale)
    if precision > 76:
        return pa.string()
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)


def _nested(pa, kind, values):
    depth = max((_depth(value) for value in values), default=1)
    for _ in range(max(depth, 1)):
        kind = pa.list_(kind)
    return kind


def _depth(value):
    return 1 + max((_depth(one) for one in value), default=0) if isinstance(value, list) else 0


def _plain(value, kind):
    if isinstance(value, list):
        return [_plain(one, kind.value_type) for one in value]
    return str(value) if value is not None and str(kind) == "string" else value


def _spelled(parts):
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
