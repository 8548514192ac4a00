"""The columns of a table or the keys of a mapping, where somebody types one: in its brackets, or in a call on a table that takes
names of columns. Nothing of the cell is run for it.
"""

import itertools
import re

MAX_ITEMS = 500
MAX_KEYS = 100_000
MAX_KEY_CHARACTERS = 200
# Of a long cell only its end is read: what is open there was opened near it.
MAX_READ = 8_000
MAX_STEPS = 8
_OPENED = re.compile(r"([A-Za-z_][\w.]*)\[\s*(['\"])([^'\"\n]*)$")
_TOKEN = re.compile(
    r"""#[^\n]*|\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[][(){}]|,|:|["']""",
    re.DOTALL,
)
_NAME = r"[^\W\d]\w*"
# How many arguments by their place are names of columns, and which by their name.
_TAKES = {
    "agg": (1, ""),
    "aggregate": (1, ""),
    "astype": (1, "dtype"),
    "boxplot": (2, "column by"),
    "drop": (0, "columns"),
    "drop_duplicates": (1, "subset"),
    "drop_nulls": (1, "subset"),
    "dropna": (0, "subset"),
    "duplicated": (1, "subset"),
    "explode": (1, "column columns"),
    "fillna": (1, "value"),
    "filter": (1, "items"),
    "get": (1, "key"),
    "group_by": (99, "by"),
    "groupby": (1, "by"),
    "hist": (2, "column by"),
    "join": (0, "on left_on"),
    "melt": (2, "id_vars value_vars"),
    "merge": (0, "on left_on"),
    "nlargest": (2, "columns"),
    "nsmallest": (2, "columns"),
    "partition_by": (99, "by"),
    "pivot": (0, "index columns values on"),
    "pivot_table": (0, "index columns values"),
    "plot": (2, "x y"),
    "pop": (1, "item"),
    "reindex": (0, "columns"),
    "rename": (0, "columns"),
    "scatter": (2, "x y c s"),
    "select": (99, ""),
    "set_index": (1, "keys"),
    "sort": (99, "by"),
    "sort_values": (1, "by"),
    "transform": (1, ""),
    "unique": (1, "subset"),
    "unpivot": (1, "on index"),
    "value_counts": (1, "subset"),
    "with_columns": (99, ""),
}


def opened_by(line):
    """(name, quote, typed) where the brackets behind a name are open; None anywhere else."""
    found = _OPENED.search(line)
    return None if found is None else found.groups()


def offered(before, names, seen):
    """What may stand at the end of this text; None where nothing is known."""
    line = before.rpartition("\n")[2]
    direct = opened_by(line)
    if direct is not None:
        path, quote, typed = direct
        found = _answer(_keys_at(path, names, seen), line, quote, typed)
        if found is not None:
            return found
    asked = _open_text(_TOKEN.sub(_without_remark, before[-MAX_READ:]))
    if asked is None:
        return None
    path, quote, typed = asked
    return _answer(_columns_at(path, before, names, seen), line, quote, typed)


def _without_remark(token):
    return " " * len(token[0]) if token[0].startswith("#") else token[0]


def _answer(keys, line, quote, typed):
    usable = [key for key in itertools.islice(keys, MAX_KEYS) if _is_usable(key, quote)]
    if not usable:
        return None
    fitting = usable if len(usable) <= MAX_ITEMS else [key for key in usable if key.startswith(typed)]
    items = [{"label": key, "kind": "key"} for key in fitting[:MAX_ITEMS]]
    return {"items": items, "from": len(line) - len(typed), "truncated": len(usable) > MAX_ITEMS}


def _is_usable(key, quote):
    """Whether it can be typed as it is."""
    return (
        isinstance(key, str)
        and len(key) <= MAX_KEY_CHARACTERS
        and key.isprintable()
        and quote not in key
        and "\\" not in key
    )


def _keys_at(path, names, seen):
    return seen[path].get("columns", []) if path in seen else _keys_of(_resolved(path, names))


def _columns_at(path, before, names, seen):
    """Of a name that the cell gave a meaning itself: those of what it was made from."""
    for _ in range(MAX_STEPS):
        if path in seen or path.partition(".")[0] in names:
            return seen[path].get("columns", []) if path in seen else _columns_of(_resolved(path, names))
        made = re.findall(rf"(?m)^[ \t]*{re.escape(path)}[ \t]*=(?!=)[ \t]*\(?\s*({_NAME}[^\n]*)$", before)
        root = _root(made[-1]) if made else None
        if root is None or root == path:
            break
        path = root
    return []


def _resolved(path, names):
    first, *rest = path.split(".")
    value = names.get(first)
    for attribute in rest:
        value = getattr(value, attribute, None)
    return value


def _keys_of(value):
    own = getattr(type(value), "_ipython_key_completions_", None)
    if own is not None:
        return own(value)
    return value if isinstance(value, dict) else _columns_of(value)


def _columns_of(value):
    for attribute in ("columns", "column_names"):
        found = getattr(value, attribute, None)
        if found is not None and not callable(found):
            return found
    return []


class _Bracket:
    def __init__(self, sign, at):
        self.sign, self.at = sign, at
        self.commas, self.begin, self.is_value = 0, at + 1, False


def _open_text(text):
    """(name of the table, quote, typed) where a text is open in which a name of its columns may stand; None anywhere else."""
    stack, pairs, last = [], {}, 0
    while (token := _TOKEN.search(text, last)) is not None:
        sign, at = token[0], token.start()
        last = token.end()
        if sign in "([{":
            stack.append(_Bracket(sign, at))
        elif sign in ")]}" and stack:
            pairs[at] = stack.pop().at
        elif sign == "," and stack:
            stack[-1].commas, stack[-1].begin, stack[-1].is_value = stack[-1].commas + 1, last, False
        elif sign == ":" and stack:
            stack[-1].is_value = True
        elif sign in ("'", '"') and not re.search(r"[\n\\]", text[last:]):
            path = _table_of(text, at, stack, pairs)
            return None if path is None else (path, sign, text[last:])
    return None


def _table_of(text, at, stack, pairs):
    while stack:
        bracket = stack.pop()
        ahead = text[bracket.begin : at]
        before = text[: bracket.at].rstrip()
        if not re.search(r"[\w)\]]$", before):
            # A list, a tuple or a mapping of them.
            if (bracket.sign == "{" and bracket.is_value) or ahead.strip():
                return None
            at = bracket.at
        elif bracket.sign == "[":
            end = re.sub(r"\s*\.\s*loc$", "", before)
            isolated = not ahead.strip() and (end == before or bracket.commas == 1)
            return _root_before(text, len(end), pairs) if isolated else None
        else:
            method = re.search(rf"\.\s*({_NAME})$", before)
            takes = _TAKES.get(method[1]) if method else None
            if takes is None or not _is_taken(ahead, bracket.commas, *takes):
                return None
            return _root_before(text, len(before[: method.start()].rstrip()), pairs)
    return None


def _is_taken(ahead, place, places, named):
    keyword = re.fullmatch(rf"\s*({_NAME})\s*=\s*", ahead)
    return keyword[1] in named.split() if keyword else not ahead.strip() and place < places


def _root_before(text, end, pairs):
    """Of the expression that ends there: the name that it begins with."""
    at = end
    while at > 0:
        sign = text[at - 1]
        if at - 1 in pairs:
            at = pairs[at - 1]
        elif sign.isalnum() or sign in "_.":
            at -= 1
        elif sign.isspace() and text[at:end].startswith("."):
            at = len(text[:at].rstrip())
        else:
            break
    return _root(text[at:end])


def _root(expression):
    """`table` of `table.query("price > 1")`; None where it begins with no name."""
    found = re.match(rf"({_NAME}(?:\s*\.\s*{_NAME})*)(\s*\()?", expression)
    if found is None:
        return None
    path = re.sub(r"\s", "", found[1])
    return (path.rpartition(".")[0] if found[2] else path) or None
