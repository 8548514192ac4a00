"""Data frames to tables and back from mapped ones. Columns of numbers stay where they lie, in the frame or in the file:
a large frame is stored without a copy, is there at once, and takes memory only where it is read. Everything else is
converted by pyarrow.
"""

import warnings

from svc_runtime.values.arrow_file import arrow
from svc_runtime.values.preview import MOST_ROWS_IN_WORDS

# Below this, copying costs nothing.
LARGE_ROWS = 10_000


def to_table(frame):
    """What `pyarrow.Table.from_pandas` gives. It looks for gaps in numbers one by one; here whole columns are asked."""
    pa = arrow()
    if not _holds_only_numbers(frame):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of labels that become texts: what is read back is compared, what is shown is text
            return pa.Table.from_pandas(frame)
    columns = [frame.iloc[:, position].to_numpy() for position in range(frame.shape[1])]
    arrays = [pa.array(column, from_pandas=_has_gaps(column)) for column in columns]
    return pa.Table.from_arrays(arrays, schema=pa.Schema.from_pandas(frame))


def to_shown_table(frame):
    """For a table that is only looked at: a column that arrow has no type for, such as texts among numbers, is shown in words,
    and two columns may have one name."""
    if not frame.columns.is_unique:
        table = to_shown_table(frame.set_axis([str(position) for position in range(frame.shape[1])], axis=1))
        names = [str(label) for label in frame.columns]
        renamed = table.rename_columns([*names, *table.column_names[len(names) :]])
        return renamed.replace_schema_metadata(table.schema.metadata)
    try:
        return to_table(frame)
    except Exception:  # pyarrow has many, and columns bring their own
        if len(frame) > MOST_ROWS_IN_WORDS:
            raise
        return to_table(_with_words(frame))


def _with_words(frame):
    shown = frame.copy(deep=False)
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if getattr(column, "sparse", None) is not None:
            shown.isetitem(position, column.sparse.to_dense())
        elif not _has_type(column):
            shown.isetitem(position, _words_of(column))
    if frame.index.nlevels == 1 and not _has_type(frame.index):
        shown.index = shown.index.map(str)
    return shown


def _has_type(values):
    try:
        arrow().array(values, from_pandas=True)
        return True
    except Exception:
        return False


def _words_of(column):
    import pandas

    gaps = [value is None or (pandas.api.types.is_scalar(value) and pandas.isna(value)) for value in column]
    words = [None if is_gap else str(value) for value, is_gap in zip(column, gaps)]
    return pandas.Series(words, index=column.index, dtype=object)


def from_mapped(mapped):
    import pandas

    table = mapped.table
    if table.num_rows < LARGE_ROWS:
        return table.to_pandas(use_threads=False)
    like = _like(table)
    plain = _plain_columns(mapped, like)
    if not plain:
        return table.to_pandas()
    others = table.drop_columns(list(plain))
    rest = others.to_pandas(use_threads=others.num_columns > 1)
    positions = iter(range(rest.shape[1]))
    columns = {
        position: plain[name] if name in plain else rest.iloc[:, next(positions)].array
        for position, name in enumerate(table.column_names[: like.shape[1]])
    }
    frame = pandas.DataFrame(columns, index=rest.index, copy=False)
    frame.columns = like.columns
    frame.attrs = like.attrs
    return frame


def index_fact(table):
    """How many of the last columns are its index; nothing where rows are only counted."""
    stored = [name for name in (table.schema.pandas_metadata or {}).get("index_columns", []) if isinstance(name, str)]
    return {"index_columns": len(stored)} if stored else {}


def frequency_of(index):
    """Of an index of moments that are as far apart as it says; arrow has no place for it."""
    return getattr(index, "freqstr", None) if type(index).__name__ in ("DatetimeIndex", "TimedeltaIndex") else None


def refuse_what_changes(value, table):
    """Raise when labels or types would come back as others: arrow knows fewer of both than pandas."""
    like = _like(table)
    if not hasattr(value, "columns"):
        same = like.dtypes.iloc[0] == value.dtype
    else:
        same = list(like.columns) == list(value.columns) and list(like.dtypes) == list(value.dtypes)
    if not same or list(like.index.names) != list(value.index.names):
        raise ValueError("arrow would change the labels or types of this table")


def _like(table):
    """Labels and types, as the table's own notes for pandas have them."""
    return table.slice(0, 0).to_pandas(use_threads=False)


def _holds_only_numbers(frame):
    import pandas

    return (
        type(frame) is pandas.DataFrame
        and type(frame.index) is pandas.RangeIndex
        and frame.columns.is_unique
        and all(type(label) is str for label in frame.columns)
        and all(_is_numpy(dtype) and dtype.name in _ARROW_NAMES for dtype in frame.dtypes)
    )


def _has_gaps(column):
    if column.dtype.kind != "f" or len(column) == 0:
        return False
    smallest = column.min()
    return bool(smallest != smallest)  # the smallest of numbers among which one is none is none


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
