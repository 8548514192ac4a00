"""Data frames from mapped tables. Columns of numbers stay where they lie in the file, so a large frame is there at once
and takes memory only where it is read; everything else is converted by pyarrow.
"""

# Below this, copying costs nothing.
_LARGE_ROWS = 10_000


def from_mapped(mapped):
    import pandas

    table = mapped.table
    if table.num_rows < _LARGE_ROWS:
        return table.to_pandas()
    like = table.slice(0, 0).to_pandas()  # labels and types, as the table's own notes for pandas have them
    plain = _plain_columns(mapped, like)
    if not plain:
        return table.to_pandas()
    rest = table.drop_columns(list(plain)).to_pandas()
    others = iter(range(rest.shape[1]))
    columns = {
        position: plain[name] if name in plain else rest.iloc[:, next(others)].array
        for position, name in enumerate(table.column_names[: like.shape[1]])
    }
    frame = pandas.DataFrame(columns, index=rest.index, copy=False)
    frame.columns = like.columns
    frame.attrs = like.attrs
    return frame


def refuse_what_changes(value, table):
    """Raise when labels or types would come back as others: arrow knows fewer of both than pandas."""
    like = table.slice(0, 0).to_pandas()
    if not hasattr(value, "columns"):
        same = like.dtypes.iloc[0] == value.dtype
    else:
        same = list(like.columns) == list(value.columns) and list(like.dtypes) == list(value.dtypes)
    if not same or list(like.index.names) != list(value.index.names):
        raise ValueError("arrow would change the labels or types of this table")


def _plain_columns(mapped, like):
    """Name -> array, for the columns that pandas would hold bit for bit as the file does."""
    table = mapped.table
    found = {}
    for position, dtype in enumerate(like.dtypes):
        name = table.column_names[position]
        chunks = table.column(position).chunks
        if len(chunks) != 1 or chunks[0].null_count or getattr(dtype, "kind", "") not in ("i", "u", "f"):
            continue
        if _is_numpy(dtype) and str(chunks[0].type) == _ARROW_NAMES.get(dtype.name) and name not in found:
            found[name] = mapped.numbers(chunks[0], dtype)
    return found


def _is_numpy(dtype):
    return type(dtype).__module__.startswith("numpy")


_ARROW_NAMES = {
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": "float",
    "float64": "double",
}
