"""What the statements of a query are: their kinds, whether they only read, and the tables they name."""

import logging
import re

import sqlglot
from sqlglot import exp

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of statements that it keeps as plain text

_READS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.Describe, exp.Show, exp.Summarize, exp.Pivot)
_READ_COMMANDS = {"EXPLAIN", "SHOW", "DESC", "DESCRIBE"}
_CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Into)
_KNOWN_SOURCES = (exp.Table, exp.Subquery, exp.Values, exp.Unnest, exp.Lateral, exp.Paren)


def describe(params):
    """Of each query `{statements: [{kind, reads}], tables: [[part, …]], dynamic: [text], problem}`."""
    return {"queries": [_describe(query["statements"], query["dialect"]) for query in params["queries"]]}


def _describe(texts, dialect):
    statements, tables, dynamic = [], [], []
    for text in texts:
        try:
            tree = sqlglot.parse_one(text, dialect=dialect)
        except sqlglot.errors.SqlglotError as problem:
            return {"statements": [], "tables": [], "dynamic": [], "problem": _reason(problem)}
        except RecursionError:
            return {"statements": [], "tables": [], "dynamic": [], "problem": "it is nested too deeply"}
        statements.append({"kind": _kind(tree), "reads": _reads(tree)})
        _sources(tree, dialect, tables, dynamic)
    return {"statements": statements, "tables": tables, "dynamic": sorted(set(dynamic)), "problem": None}


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


def _sources(tree, dialect, tables, dynamic):
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    if isinstance(tree, (exp.Command, exp.Show)):
        dynamic.append(tree.sql(dialect=dialect)[:100])
    for place in tree.find_all(exp.From, exp.Join):
        if not isinstance(place.this, _KNOWN_SOURCES):
            dynamic.append(place.this.sql(dialect=dialect)[:100])
    for table in tree.find_all(exp.Table):
        parts = [_folded(part, dialect) for part in table.parts]
        if not isinstance(table.this, exp.Identifier) or _is_dynamic(parts, dialect):
            dynamic.append(table.sql(dialect=dialect)[:100])
        elif len(parts) > 1 or parts[0].lower() not in own:
            if parts not in tables:
                tables.append(parts)


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
