"""Data frames that code reads by naming them in SQL: DuckDB looks for a table that it does not have among the variables around it."""

import ast
import re

# Each can be read in one way only: of a text in which none is found, every other way would be tried.
_BEGINS = re.compile(r"(?:\s|--.*(?:\n|\Z)|\()*(?:select|with|from|create|insert|copy|describe|summarize|pivot|unpivot|explain|merge)\b", re.I)
_BEFORE_TABLES = re.compile(r"\b(?:from|join|describe|summarize|pivot|unpivot)\s+", re.I)
_WORD = r'(?:"[^"]+"|\b\w+\b)'
_AFTER = "anti|asof|cross|except|full|group|having|inner|intersect|join|left|limit|natural|offset|on|order|outer|positional|qualify|right|select|semi|union|using|where|window"
# A name, what says that it is more than a variable, what it is called in the statement, and whether another one follows.
_TABLE = re.compile(rf"({_WORD})(\s*[.(][\w.\"]*(?![\w.\"])(?:\([^()]*\)|[^()]*\))?)?(?:\s+(?:as\s+)?(?!(?:{_AFTER})\b){_WORD})?(\s*,\s*)?", re.I)
_MADE_INSIDE = re.compile(rf"({_WORD})\s*(?:\([^()]*\)\s*)?as\s+(?:(?:not\s+)?materialized\s+)?\(", re.I)


def read_by_sql(call):
    """Names of tables in the statement that a call is given, if it is given one; those that the statement makes itself are not."""
    text = _text_of(call.args[0]) if call.args else None
    if text is None or not _BEGINS.match(text):
        return set()
    made = {name.strip('"') for name in _MADE_INSIDE.findall(text)}
    return {name for name in _tables_in(text) if name.isidentifier()} - made


def _tables_in(text):
    seen = set()
    for start in _BEFORE_TABLES.finditer(text):
        place = start.end()
        while place not in seen and (found := _TABLE.match(text, place)):
            seen.add(place)
            name, rest, comma = found.groups()
            if rest is None:
                yield name.strip('"')
            if comma is None:
                break
            place = found.end()


def _text_of(node):
    """What is put in while it runs is no name that could be known."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "?" for part in node.values)
    return None
