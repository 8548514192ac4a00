"""What the statements of a query are: their kinds, whether they only read, and the tables they name."""

import logging
import re

import sqlglot
from sqlglot import exp

from svc_engine.sql.files import is_file_name

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of statements that it keeps as plain text

_READS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.Describe, exp.Show, exp.Summarize, exp.Pivot)
_READ_COMMANDS = {"EXPLAIN", "SHOW", "DESC", "DESCRIBE"}
_CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Into)
_KNOWN_SOURCES = (exp.Table, exp.Subquery, exp.Values, exp.Unnest, exp.Lateral, exp.Paren)


def describe(params):
    """Of each query `{statements: [{kind, reads}], tables: [[part, …]], frames: [name], files: [name], dynamic: [text],
    problem}`. `frames` are tables without any other name before them, which may be values of other cells."""
    return {"queries": [_describe(query["statements"], query["dialect"]) for query in params["queries"]]}


def _describe(texts, dialect):
    statements, found = [], _Sources(dialect)
    for text in texts:
        try:
            tree = sqlglot.parse_one(text, dialect=dialect)
        except sqlglot.errors.SqlglotError as problem:
            return {"statements": [], **_Sources(dialect).told(), "problem": _reason(problem)}
        except RecursionError:
            return {"statements": [], **_Sources(dialect).told(), "problem": "it is nested too deeply"}
        statements.append({"kind": _kind(tree), "reads": _reads(tree)})
        found.look(tree)
    return {"statements": statements, **found.told(), "problem": None}


def _reason(problem):
    errors = getattr(problem, "errors", None)
    if not errors:
        return str(problem).splitlines()[0]
    first = errors[0]
    description = re.sub(r"<class '[\w.]*?(\w+)'>", r"\1", first["description"])
    return f"{description}, line {first['line']}, column {first['col']}"


def _kind(tree):
    if isinstance(tree, exp.Command):
        return str(tree.this).upper()
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(tree).__name__).upper()
    if isinstance(tree, (exp.Create, exp.Drop, exp.Alter)):
        return f"{word} {tree.args.get('kind') or ''}".strip().upper()
    return word


def _reads(tree):
    if isinstance(tree, exp.Command):
        text = str(tree.expression or "")
        runs = re.match(r"\s*(\([^)]*\banaly[sz]e\b|analy[sz]e\b)", text, re.IGNORECASE)
        return str(tree.this).upper() in _READ_COMMANDS and runs is None
    if isinstance(tree, exp.Describe) and "ANALY" in str(tree.args.get("style") or "").upper():
        return False
    return isinstance(tree, _READS) and next(tree.find_all(*_CHANGES), None) is None


class _Sources:
    """Where the statements of a query read from."""

    def __init__(self, dialect):
        self._dialect = dialect
        self._tables, self._files, self._dynamic, self._changed = [], [], set(), set()

    def told(self):
        beside = [parts[0] for parts in self._tables if len(parts) == 1] if self._dialect == "duckdb" else []
        return {
            "tables": self._tables,
            "frames": [name for name in beside if name.lower() not in self._changed],
            "files": self._files,
            "dynamic": sorted(self._dynamic),
        }

    def look(self, tree):
        own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        if isinstance(tree, (exp.Command, exp.Show)):
            self._dynamic.add(self._shown(tree))
        for place in tree.find_all(exp.From, exp.Join):
            if not isinstance(place.this, _KNOWN_SOURCES):
                self._dynamic.add(self._shown(place.this))
        for table in tree.find_all(exp.Table):
            self._see(table, own)

    def _see(self, table, own):
        parts = [_folded(part, self._dialect) for part in table.parts]
        if not isinstance(table.this, exp.Identifier):
            self._dynamic.add(self._shown(table))
        elif len(parts) == 1 and parts[0].lower() in own:
            return
        elif self._dialect == "duckdb" and len(parts) == 1 and table.this.quoted and is_file_name(parts[0]):
            if parts[0] not in self._files:
                self._files.append(parts[0])
        elif _is_dynamic(parts, self._dialect):
            self._dynamic.add(self._shown(table))
        else:
            if _is_changed(table):
                self._changed.add(parts[-1].lower())
            if parts not in self._tables:
                self._tables.append(parts)

    def _shown(self, tree):
        return tree.sql(dialect=self._dialect)[:100]


def _is_changed(table):
    """Whether it is what a statement makes, fills or removes."""
    place = table.parent.parent if isinstance(table.parent, exp.Schema) else table.parent
    return isinstance(place, (*_CHANGES, exp.Alter)) and place.this in (table, table.parent)


def _folded(part, dialect):
    """A name as its database keeps it when it is not quoted."""
    if isinstance(part, exp.Identifier) and part.quoted:
        return part.name
    fold = {"postgres": str.lower, "snowflake": str.upper}.get(dialect, str)
    return fold(part.name)


def _is_dynamic(parts, dialect):
    if dialect == "duckdb":  # a quoted name with the look of a file is read as one
        return len(parts) == 1 and re.search(r"[./*:]", parts[0]) is not None
    if dialect == "bigquery":
        return any("*" in part or part.upper() == "INFORMATION_SCHEMA" for part in parts)
    return False
