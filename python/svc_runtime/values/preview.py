"""What a record shows of a value: JSON of bounded size. Whatever is larger is shown as the beginning of its text."""

import itertools
import json
import math
import re
import reprlib
import types

from svc_runtime.values import cell_code

MAX_BYTES = 64 * 1024
# As IPython writes them.
_IN_WORDS = (list, tuple, dict, set, frozenset, types.FunctionType, types.BuiltinFunctionType, re.Pattern)
_FLAGS = ("IGNORECASE", "LOCALE", "MULTILINE", "DOTALL", "UNICODE", "VERBOSE", "DEBUG")
TEXT_CHARACTERS = 2000
ARRAY_CHARACTERS = 20_000  # libraries leave out the middle of large arrays by themselves
TABLE_ROWS = 20
CELL_CHARACTERS = 500
# Words for more values of a column would take seconds; the library's own picture of the table is shown instead.
MOST_ROWS_IN_WORDS = 200_000
_MAX_EXACT = 2**53 - 1
LINE = 79  # characters: what is longer can be folded
_BRACKETS = {dict: "{}", list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})")}
_MOST_ELEMENTS = 1000  # of one list, as in IPython
_MAX_SHOWN_NODES = 10_000
_MAX_SHOWN_DEPTH = 20
_MAX_NODES = 16 * 1024
_MAX_DEPTH = 100


class TooLarge(Exception):
    pass


class _Shorten(reprlib.Repr):
    def repr_dict(self, value, level):
        """In its own order; the library's would sort it."""
        if not value or level <= 0:
            return "{...}" if value else "{}"
        items = [f"{self.repr1(key, level - 1)}: {self.repr1(value[key], level - 1)}" for key in itertools.islice(value, self.maxdict)]
        return "{" + ", ".join([*items, *(["..."] if len(value) > self.maxdict else [])]) + "}"

    def repr_type(self, value, level):
        return value.__qualname__ if value.__module__ == "builtins" else f"{_home_of(value)}.{value.__qualname__}"

    def repr_function(self, value, level):
        return f"<function {_home_of(value)}.{value.__qualname__}{_signature_of(value)}>"

    def repr_builtin_function_or_method(self, value, level):
        signature = _signature_of(value)
        is_plain = value.__module__ == "builtins" and isinstance(value.__self__, types.ModuleType) and signature
        return f"<function {value.__qualname__}{signature}>" if is_plain else repr(value)

    def repr_defaultdict(self, value, level):
        return f"defaultdict({self.repr1(value.default_factory, level - 1)}, {self.repr_dict(value, level)})"

    def repr_Pattern(self, value, level):
        text = "r" + repr(value.pattern).replace("\\\\", "\\")
        flags = "|".join(f"re.{name}" for name in _FLAGS if value.flags & getattr(re, name))
        return f"re.compile({text}, {flags})" if flags else f"re.compile({text})"


def _home_of(value):
    """The code of cells is the notebook's own."""
    return "__main__" if cell_code.is_of_cell(value) else value.__module__


def _signature_of(value):
    import inspect

    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


_shorten = _Shorten()
_shorten.maxstring = _shorten.maxother = _shorten.maxlong = 400
_shorten.maxlist = _shorten.maxdict = _shorten.maxtuple = _shorten.maxset = _shorten.maxfrozenset = 30
_shorten.maxlevel = 4


def of_json(value):
    """(preview, further facts) of a value that JSON can say; NaN and infinity, which strict JSON lacks, become null."""
    try:
        safe = _safe(value, [_MAX_NODES], 0)
        if len(json.dumps(safe, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= MAX_BYTES:
            return safe, {}
    except (TooLarge, RecursionError, ValueError):
        pass
    return (of_text(value) if isinstance(value, str) else of_repr(value)), {"preview_truncated": True}


def of_text(text, most=TEXT_CHARACTERS):
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


def of_array(value):
    return of_text(repr(value), ARRAY_CHARACTERS)


def of_repr(value):
    """The beginning of what a prompt would show for any object, or its class when even that fails."""
    try:
        return of_text(_in_words(value))
    except Exception:
        return of_object(value)


def _in_words(value):
    return _shorten.repr(value) if isinstance(value, _IN_WORDS) or type(value) is type else repr(value)


def of_object(value):
    return f"<{type(value).__name__} object>"


def of_shown(value):
    """What a prompt of IPython shows of any object, folded as it folds lists and the like; what has no end to it is shortened."""
    try:
        return of_text(_Folded().text(value, 0, 0, 0), ARRAY_CHARACTERS)
    except Exception:
        return of_repr(value)


class _Folded:
    def __init__(self):
        self._left = _MAX_SHOWN_NODES

    def text(self, value, indent, width, depth):
        """`indent`: of its further lines; `width`: what stands before it in its first one."""
        self._left -= 1
        if self._left < 0 or depth > _MAX_SHOWN_DEPTH:
            raise TooLarge
        brackets = _brackets_of(value)
        if brackets is None or not value:
            return _in_words(value).replace("\n", "\n" + " " * indent)
        opening, closing = brackets
        inner = indent + len(opening)
        parts = [self._element(value, one, inner, depth + 1) for one in itertools.islice(_in_order(value), _MOST_ELEMENTS)]
        if len(value) > _MOST_ELEMENTS:
            parts.append("...")
        ends = f",{closing}" if isinstance(value, tuple) and len(value) == 1 else closing
        line = opening + ", ".join(parts) + ends
        if "\n" not in line and width + len(line) <= LINE:
            return line
        return opening + (",\n" + " " * inner).join(parts) + ends

    def _element(self, value, one, indent, depth):
        if not isinstance(value, dict):
            return self.text(one, indent, indent, depth)
        key = self.text(one, indent, indent, depth) + ": "
        return key + self.text(value[one], indent, indent + len(key), depth)


def _brackets_of(value):
    """Also of a class that is written like the one it is made of."""
    for kind, brackets in _BRACKETS.items():
        if isinstance(value, kind) and type(value).__repr__ is kind.__repr__:
            return brackets if type(value) is kind or kind not in (set, frozenset) else None
    return None


def _in_order(value):
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except Exception:
            return value  # of several kinds
    return value


def is_written_alike(number):
    """Whether others write a number as Python does: 5.0, 1e+16, NaN and whole numbers of more than 15 digits they do not."""
    if isinstance(number, int):
        return abs(number) <= _MAX_EXACT
    return math.isfinite(number) and not number.is_integer() and "e" not in str(number)


def of_rows(rows):
    """(preview, further facts) of the first rows of a table, given as lists: fewer rows when they are wide."""
    cells = [[_cell(value) for value in row] for row in rows[:TABLE_ROWS]]
    while cells and len(json.dumps(cells).encode()) > MAX_BYTES:
        cells = cells[: len(cells) // 2]
    return (cells, {}) if cells or not rows else ("too wide to show", {"preview_truncated": True})


def _safe(value, nodes, depth):
    nodes[0] -= 1
    if nodes[0] < 0 or depth > _MAX_DEPTH:
        raise TooLarge
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str) and len(value) > MAX_BYTES:
        raise TooLarge
    if isinstance(value, dict):
        if len(value) > nodes[0]:
            raise TooLarge
        return {str(key): _safe(item, nodes, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) > nodes[0]:
            raise TooLarge
        return [_safe(item, nodes, depth + 1) for item in value]
    return value


def _cell(value):
    """One cell of a table: numbers, booleans and short text as they are, nothing as '', the rest as its text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else ""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= CELL_CHARACTERS else f"{text[:CELL_CHARACTERS]}…"
