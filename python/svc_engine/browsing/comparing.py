"""Two tables side by side: which rows came, went and changed, and in which columns.

Rows belong together by their index where both have the same one and it tells rows apart; otherwise by their place.
"""

from svc_engine.browsing.columns import plain, rows_of, takeable, text
from svc_engine.browsing.labels import labels_of
from svc_engine.browsing.shown import shown_values
from svc_engine.data import require

_SEPARATOR = "\x1f"


def compare_tables(before, after, offset, limit, only_different):
    """`{key, columns, counts, total, rows}`; rows of `after` in their order, then those that went."""
    compute = require("pyarrow.compute")
    key, pairs = _pairs(before, after)
    there, here = pairs  # places in `before` and in `after`; null where a row has no partner
    columns = list(dict.fromkeys([*key, *after.column_names, *before.column_names]))
    both = compute.and_(there.is_valid(), here.is_valid())
    common = [name for name in columns if name in before.column_names and name in after.column_names]
    differs = {name: compute.and_(both, _differs(before, after, name, there, here)) for name in common}
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
    return {
        "key": key,
        "columns": columns,
        "counts": counts,
        "total": total,
        "rows": _rows(before, after, columns, (there, here), differs, list(page)),
    }


def _rows(before, after, columns, pairs, differs, page):
    arrow = require("pyarrow")
    wanted = arrow.array(page, arrow.int64())
    sides = [_side(table, columns, places.take(wanted)) for table, places in zip((before, after), pairs)]
    marks = {name: mask.take(wanted).to_pylist() for name, mask in differs.items()}
    rows = []
    for at, (old, new) in enumerate(zip(*sides)):
        changed = [index for index, name in enumerate(columns) if marks.get(name, [False] * len(page))[at]]
        rows.append({"before": old, "after": new, "changed": changed})
    return rows


def _side(table, columns, places):
    """The rows of one side, None where it has none; a column that it lacks is empty."""
    is_there = places.is_valid().to_pylist()
    rows = places.drop_null()
    found = {
        name: iter(shown_values(rows_of(takeable(_column(table, name)), rows), exact=True))
        for name in columns
        if name in table.column_names
    }
    return [[next(found[name]) if name in found else None for name in columns] if there else None for there in is_there]


def _pairs(before, after):
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    names = _shared_index(before, after)
    if names:
        old, new = _keys(before, names), _keys(after, names)
        if _is_unique(old) and _is_unique(new):
            there = compute.index_in(new, value_set=old).cast("int64")
            gone = compute.indices_nonzero(compute.invert(compute.is_in(old, value_set=new))).cast("int64")
            here = arrow.array(range(len(new)), arrow.int64())
            return names, (
                arrow.concat_arrays([there, gone]),
                arrow.concat_arrays([here, arrow.nulls(len(gone), arrow.int64())]),
            )
    longest = max(before.num_rows, after.num_rows)
    sides = [[*range(table.num_rows), *[None] * (longest - table.num_rows)] for table in (before, after)]
    return [], tuple(arrow.array(places, arrow.int64()) for places in sides)


def _shared_index(before, after):
    old, new = (
        [table.column_names[level["column"]] for level in labels_of(table.schema)["index"] if "column" in level]
        for table in (before, after)
    )
    return old if old == new else []


def _keys(table, names):
    compute = require("pyarrow.compute")
    texts = [compute.fill_null(text(_column(table, name)).cast("large_string"), "") for name in names]
    joined = texts[0] if len(texts) == 1 else compute.binary_join_element_wise(*texts, _SEPARATOR)
    return joined.combine_chunks()


def _is_unique(keys):
    return require("pyarrow.compute").count_distinct(keys).as_py() == len(keys)


def _differs(before, after, name, there, here):
    """Whether both rows hold another value; nothing is like nothing, and NaN like NaN."""
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    old, new = (rows_of(takeable(_column(table, name)), places) for table, places in ((before, there), (after, here)))
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


def _column(table, name):
    return table.column(table.column_names.index(name))
