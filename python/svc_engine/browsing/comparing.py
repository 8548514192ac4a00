"""Two tables side by side: which rows came, went and changed, and in which columns.

Rows belong together by their index where both have the same one and it tells rows apart; otherwise by their place.
"""

from svc_engine.browsing.columns import plain, rows_of, takeable, text, value_kind
from svc_engine.browsing.labels import labels_of
from svc_engine.browsing.shown import shown_values
from svc_engine.data import require

_SEPARATOR = "\x1f"


# More columns beside each other nobody reads; those that differ come first.
_MOST_COLUMNS = 40


def compare_tables(before, after, offset, limit, only_different):
    """`{key, repeats, columns, left_out, types, came, went, retyped, counts, total, rows}`.

    Rows of `after` in their order, then those that went.
    """
    compute = require("pyarrow.compute")
    names = _shared_index(before, after)
    old, new = _columns(before), _columns(after)
    key, pairs, is_aligned = _pairs(before, after, old, new, names)
    there, here = pairs  # places in `before` and in `after`; null where a row has no partner
    columns = list(dict.fromkeys([*key, *new, *old]))
    both = compute.and_(there.is_valid(), here.is_valid())
    common = [name for name in columns if name in old and name in new]
    differs = {}
    for name in common:
        sides = (old[name], new[name]) if is_aligned else (_at(old[name], there), _at(new[name], here))
        mask = compute.and_(both, _differs(*sides))
        if compute.any(mask).as_py():
            differs[name] = mask
    changed = _any(differs.values(), both)
    counts = {
        "changed": _count(changed),
        "added": there.null_count,
        "removed": here.null_count,
        "same": _count(both) - _count(changed),
    }
    seen = compute.indices_nonzero(compute.or_(changed, compute.invert(both))) if only_different else None
    total = len(there) if seen is None else len(seen)
    page = range(offset, min(offset + limit, total)) if seen is None else seen.slice(offset, limit).to_pylist()
    came, went = ([name for name in one if name not in other] for one, other in ((new, old), (old, new)))
    shown = _worth_showing(columns, {*key, *differs, *came, *went})
    return {
        "key": key,
        "repeats": bool(names) and not key,
        "columns": shown,
        "left_out": len(columns) - len(shown),
        "types": [str((new if name in new else old)[name].type) for name in shown],
        "came": came,
        "went": went,
        "retyped": [
            {"name": name, "before": str(old[name].type), "after": str(new[name].type)}
            for name in common
            if _kind(old[name]) != _kind(new[name])
        ],
        "counts": counts,
        "total": total,
        "rows": _rows(old, new, shown, (there, here), differs, list(page)),
    }


def _columns(table):
    """By their names; a second one of the same name has another here, so that it is compared, too."""
    found = {}
    for name, column in zip(table.column_names, table.columns):
        again = 1
        unique = name
        while unique in found:
            again += 1
            unique = f"{name} ({again})"
        found[unique] = column
    return found


def _worth_showing(columns, different):
    """In their order."""
    if len(columns) <= _MOST_COLUMNS:
        return columns
    first = [name for name in columns if name in different][:_MOST_COLUMNS]
    others = [name for name in columns if name not in different][: _MOST_COLUMNS - len(first)]
    chosen = {*first, *others}
    return [name for name in columns if name in chosen]


def _kind(column):
    """How texts and categories are stored makes no difference."""
    arrow = require("pyarrow")
    kind = value_kind(column)
    return "text" if arrow.types.is_string(kind) or arrow.types.is_large_string(kind) else str(kind)


def _at(column, places):
    return rows_of(takeable(column), places)


def _rows(old, new, columns, pairs, differs, page):
    arrow = require("pyarrow")
    wanted = arrow.array(page, arrow.int64())
    sides = [_side(found, columns, places.take(wanted)) for found, places in zip((old, new), pairs)]
    marks = [(index, differs[name].take(wanted).to_pylist()) for index, name in enumerate(columns) if name in differs]
    return [
        {"before": one, "after": other, "changed": [index for index, mark in marks if mark[at]]}
        for at, (one, other) in enumerate(zip(*sides))
    ]


def _side(found, columns, places):
    """The rows of one side, None where it has none; a column that it lacks is empty."""
    is_there = places.is_valid().to_pylist()
    rows = places.drop_null()
    values = {name: iter(shown_values(_at(found[name], rows), exact=True)) for name in columns if name in found}
    return [
        [next(values[name]) if name in values else None for name in columns] if there else None for there in is_there
    ]


def _pairs(before, after, old_columns, new_columns, names):
    """The index by which rows are matched, the places of those that belong together, and whether all stand as they stood."""
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    if names:
        old, new = _keys(old_columns, names), _keys(new_columns, names)
        if _is_unique(old) and _is_unique(new):
            there = compute.index_in(new, value_set=old).cast("int64")
            gone = compute.indices_nonzero(compute.invert(compute.is_in(old, value_set=new))).cast("int64")
            here = _count_up(len(new))
            pairs = (
                arrow.concat_arrays([there, gone]),
                arrow.concat_arrays([here, arrow.nulls(len(gone), arrow.int64())]),
            )
            return names, pairs, old.equals(new)
    longest = max(before.num_rows, after.num_rows)
    sides = [
        arrow.concat_arrays([_count_up(table.num_rows), arrow.nulls(longest - table.num_rows, arrow.int64())])
        for table in (before, after)
    ]
    return [], tuple(sides), before.num_rows == after.num_rows


def _count_up(count):
    arrow = require("pyarrow")
    return arrow.array(range(count), arrow.int64())


def _shared_index(before, after):
    old, new = (
        [table.column_names[level["column"]] for level in labels_of(table.schema)["index"] if "column" in level]
        for table in (before, after)
    )
    return old if old == new else []


def _keys(columns, names):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    texts = [compute.fill_null(text(columns[name]).cast("large_string"), "") for name in names]
    separator = arrow.scalar(_SEPARATOR, arrow.large_string())
    joined = texts[0] if len(texts) == 1 else compute.binary_join_element_wise(*texts, separator)
    return joined.combine_chunks()


def _is_unique(keys):
    return require("pyarrow.compute").count_distinct(keys).as_py() == len(keys)


def _differs(old, new):
    """Whether both rows hold another value; nothing is like nothing, and NaN like NaN."""
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    try:
        a, b = plain(old), plain(new)
        if a.type != b.type:
            raise arrow.ArrowNotImplementedError
        same = compute.equal(a, b)
        if arrow.types.is_floating(a.type):
            same = compute.or_(same, compute.and_(compute.is_nan(a), compute.is_nan(b)))
    except arrow.ArrowNotImplementedError:
        same = compute.equal(text(old).cast("large_string"), text(new).cast("large_string"))
    nothing = compute.and_(old.is_null(), new.is_null())
    return _flat(compute.invert(compute.or_kleene(compute.fill_null(same, False), nothing)))


def _flat(mask):
    return mask.combine_chunks() if hasattr(mask, "combine_chunks") else mask


def _any(masks, like):
    compute = require("pyarrow.compute")
    found = compute.and_(like, False)
    for mask in masks:
        found = compute.or_(found, mask)
    return found


def _count(mask):
    return require("pyarrow.compute").sum(mask).as_py() or 0
