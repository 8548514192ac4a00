"""Intervals of pandas, as `pd.cut` makes them: Arrow stores pairs of bounds. They are told as pandas writes them, and keep their order.

pandas is not here; the field's metadata says what they are.
"""

import json

from svc_engine.data import require

_BRACKETS = {"right": "(]", "left": "[)", "both": "[]", "neither": "()"}


def with_intervals(table):
    """The table with categories of text in place of its intervals, ordered as they are."""
    for at, field in enumerate(table.schema):
        brackets = _brackets_of(field)
        if brackets is not None:
            table = table.set_column(at, field.name, _told(table.column(at), brackets))
    return table


def _brackets_of(field):
    notes = field.metadata or {}
    if notes.get(b"ARROW:extension:name") != b"pandas.interval":
        return None
    try:
        return _BRACKETS.get(json.loads(notes[b"ARROW:extension:metadata"])["closed"])
    except (KeyError, TypeError, ValueError):
        return None


def _told(column, brackets):
    arrow = require("pyarrow")
    if arrow.types.is_dictionary(column.type):
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
