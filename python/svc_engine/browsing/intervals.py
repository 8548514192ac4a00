"""Intervals of pandas, as `pd.cut` makes them: Arrow stores pairs of bounds. They are told as pandas writes them, and keep their order."""

from svc_engine.browsing.pandas_types import with_told
from svc_engine.data import require

_BRACKETS = {"right": "(]", "left": "[)", "both": "[]", "neither": "()"}


def with_intervals(table):
    """The table with categories of text in place of its intervals, ordered as they are."""
    return with_told(table, b"pandas.interval", _teller)


def _teller(notes):
    brackets = _BRACKETS.get(notes.get("closed"))
    return None if brackets is None else lambda column: _told(column, brackets)


def _told(column, brackets):
    arrow = require("pyarrow")
    if len(column) == 0:  # arrow cannot make an empty array of each of their types
        codes, bounds = arrow.array([], "int32"), []
    elif arrow.types.is_dictionary(column.type):
        coded = column.unify_dictionaries().combine_chunks()
        codes, bounds = coded.indices, coded.dictionary.to_pylist()
    else:
        codes, bounds = _in_order(column.combine_chunks())
    words = [None if pair is None else _word(pair, brackets) for pair in bounds]
    return arrow.DictionaryArray.from_arrays(codes, arrow.array(words, arrow.string()), ordered=True)


def _in_order(pairs):
    """For each pair the place of its bounds among all bounds, and these in their order."""
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    left, right = (compute.struct_field(pairs, name).dictionary_encode() for name in ("left", "right"))
    count = max(len(right.dictionary), 1)
    joined = compute.add(compute.multiply(left.indices.cast("int64"), count), right.indices.cast("int64"))
    lefts, rights = left.dictionary.to_pylist(), right.dictionary.to_pylist()
    known = [place for place in joined.unique().to_pylist() if place is not None]
    known.sort(key=lambda place: (lefts[place // count], rights[place % count]))
    bounds = [{"left": lefts[place // count], "right": rights[place % count]} for place in known]
    return compute.index_in(joined, arrow.array(known, "int64")), bounds


def _word(pair, brackets):
    return f"{brackets[0]}{pair['left']}, {pair['right']}{brackets[1]}"
