"""A query as of a moment: where the warehouse keeps what tables held, each table that a query names is read as it was then.
The text of the query stays as it was written; only the moment is put after each name."""

import sqlglot
from sqlglot import exp

_CLAUSES = {
    "snowflake": " AT(TIMESTAMP => '{at}'::TIMESTAMP_TZ)",
    "bigquery": " FOR SYSTEM_TIME AS OF TIMESTAMP '{at}'",
}
_AFTER_ALIAS = {"bigquery"}


def as_of(text, dialect, at):
    clause = _CLAUSES[dialect].format(at=at)
    tree = sqlglot.parse_one(text, dialect=dialect)
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    places = {_end(table, dialect) for table in tree.find_all(exp.Table) if _is_kept(table, own)}
    for place in sorted(places, reverse=True):
        text = text[:place] + clause + text[place:]
    return text


def _is_kept(table, own):
    """A table of the warehouse that says no moment of its own."""
    parts = [part.name for part in table.parts]
    if not isinstance(table.this, exp.Identifier) or table.args.get("when") or table.args.get("version"):
        return False
    if any(part.upper() == "INFORMATION_SCHEMA" for part in parts):
        return False
    return len(parts) > 1 or parts[0].lower() not in own


def _end(table, dialect):
    alias = table.args.get("alias")
    last = alias.this if alias and alias.this and dialect in _AFTER_ALIAS else table.this
    if "end" not in last.meta:
        raise ValueError(f"{table.sql(dialect=dialect)} cannot be read as of a moment; write the name of the table plainly")
    return last.meta["end"] + 1
