"""Polars frames and series to tables and back. Numbers stay where they lie, in the frame or in the file.

Text is written as arrow has always written it and not as polars holds it: its views would bring along whatever else lies
in the memory that they look into, so that equal frames had other bytes, and few others can sort or filter them.
"""

from svc_runtime.values.preview import MOST_ROWS_IN_WORDS

# Pieces that are smaller than this would slow down whoever works with them.
SMALL_PIECE_ROWS = 100_000


def to_table(value):
    """Raises where the value would not come back as it is."""
    import polars

    frame = value.to_frame() if isinstance(value, polars.Series) else value
    if any(kind == polars.Object for kind in frame.dtypes):
        raise TypeError("polars would write where objects lie in memory, and not what they are")
    table = frame.to_arrow()
    if polars.from_arrow(table.slice(0, 0)).dtypes != frame.dtypes:
        raise ValueError("arrow would change the types of this frame")
    return table


def to_shown_table(value):
    """For a table that is only looked at: a column that arrow has no type for is shown in words."""
    import polars

    frame = value.to_frame() if isinstance(value, polars.Series) else value
    untyped = [column for column in frame.get_columns() if not _has_type(column)]
    if untyped and frame.height > MOST_ROWS_IN_WORDS:
        raise TypeError("a column of so many rows is not written in words")
    return frame.with_columns([_words_of(column) for column in untyped]).to_arrow()


def _has_type(column):
    import polars

    try:
        column.clear().to_frame().to_arrow()
    except Exception:  # pyarrow and polars have many
        return False
    return column.dtype != polars.Object


def _words_of(column):
    import polars

    words = [None if value is None else str(value) for value in column]
    return polars.Series(column.name, words, dtype=polars.String)


def from_table(table, is_series):
    import polars

    pieces = table.column(0).num_chunks if table.num_columns else 1
    frame = polars.from_arrow(table, rechunk=table.num_rows < pieces * SMALL_PIECE_ROWS)
    if frame.columns != table.column_names:
        frame.columns = table.column_names  # polars gives one to a column without a name
    return frame.to_series() if is_series else frame


def reduced(value, smallest):
    """What `__reduce__` would give of a frame inside another object, or NotImplemented. A small one goes polars' own way."""
    try:
        if value.estimated_size() < smallest:
            return NotImplemented
        return from_table, (to_table(value), not hasattr(value, "columns"))
    except Exception:
        return NotImplemented  # no pyarrow, or a type that it lacks
