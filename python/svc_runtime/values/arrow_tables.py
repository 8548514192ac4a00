"""`arrow/ipc` tables: pyarrow, pandas, polars, and anything that offers an Arrow stream.

The schema's metadata says what the value was, and reading gives back the same kind where its package is installed.
"""

import contextlib
import json

from svc_runtime.values import pandas_frames, polars_frames, preview
from svc_runtime.values.arrow_file import SOURCE, arrow, tagged, write_table
from svc_runtime.values.encoding import Encoding

CAPSULE = "arrow.capsule"
RELATION = "duckdb.DuckDBPyRelation"
PANDAS_NAME = b"svc.arrow.pandas.name"
PANDAS_FREQUENCY = b"svc.arrow.pandas.frequency"


def encodings(value, certain, is_shown=False):
    """`is_shown`: nobody reads it back, so that it may come out as another type that looks the same."""
    source = _source(value)
    if source is not None and arrow() is not None and (is_shown or source != CAPSULE):
        yield from _encodings(value, source, is_shown)


def stream_encodings(value, certain):
    """Of what can be kept in no other way: it comes back as a table, not as what it was; a relation of DuckDB as one of its rows."""
    # Taking another's stream may run a query: only when the value is stored.
    if certain and _source(value) == CAPSULE and arrow() is not None:
        yield from _encodings(value, CAPSULE, is_shown=False)


def _encodings(value, source, is_shown):
    if source == CAPSULE:
        source = RELATION if _is_relation(value) else CAPSULE
        value = arrow().table(value)  # once: a stream may not be there a second time
    head = _to_table(_head(value, source), source, is_shown)
    if head.num_columns == 0 and len(value) > 0:
        return  # arrow forgets how many rows a table without columns has
    shown, facts = preview.of_rows([list(row) for row in zip(*map(_values, head.columns))])
    if source.startswith("pandas."):
        facts = {**facts, **pandas_frames.index_fact(head)}

    def write(stream):
        table = _to_table(value, source, is_shown)
        if source.startswith("pandas.") and not is_shown:
            pandas_frames.refuse_what_changes(value, table)
        tags = {SOURCE: source.encode()}
        if source == "pandas.Series":
            tags[PANDAS_NAME] = json.dumps(value.name, default=str).encode()
        if source.startswith("pandas.") and (frequency := pandas_frames.frequency_of(value.index)):
            tags[PANDAS_FREQUENCY] = frequency.encode()
        write_table(tagged(table, "table", tags), stream)

    yield Encoding("arrow/ipc", ".arrow", write, shown, rows=len(value), columns=_columns(head.column_names), **facts)


def from_mapped(mapped):
    """What the table was before it was written."""
    table, tags = mapped.table, mapped.tags
    source = tags.get(SOURCE, b"").decode()
    if source == "pyarrow.RecordBatch":
        batches = table.combine_chunks().to_batches()
        return batches[0] if batches else arrow().RecordBatch.from_pylist([], schema=table.schema)
    if source.startswith("polars."):
        return _to_polars(mapped, source)
    if source.startswith("pandas."):
        return _to_pandas(mapped, source)
    if source == RELATION:
        with contextlib.suppress(ImportError):
            import duckdb

            return duckdb.from_arrow(table)
    return table


def _is_relation(value):
    return type(value).__name__ == "DuckDBPyRelation" and type(value).__module__.partition(".")[0] in ("duckdb", "_duckdb")


def _source(value):
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    if package in ("pandas", "polars", "pyarrow"):
        name = f"{package}.{kind.__name__}"
        if name in ("pyarrow.Table", "pyarrow.RecordBatch") or kind.__name__ in ("DataFrame", "Series"):
            return name
        if package == "polars" or package == "pandas":
            return None
    if getattr(kind, "__arrow_c_stream__", None) is None or hasattr(kind, "__next__"):
        return None
    # An array has more dimensions than a table; frames of other packages are frames.
    is_frame = any(base.__name__ == "DataFrame" for base in kind.__mro__)
    return CAPSULE if is_frame or not hasattr(kind, "ndim") else None


def _head(value, source):
    count = preview.TABLE_ROWS
    return value.head(count) if source.startswith(("pandas.", "polars.")) else value.slice(0, count)


def _values(column):
    """Values for a preview. Python has none for nanoseconds without pandas, for far years and for unknown zones."""
    kind = getattr(column.type, "value_type", column.type) if str(column.type).startswith("dictionary") else column.type
    if getattr(kind, "extension_name", None) in ("pandas.period", "pandas.interval"):  # stored as counts, or as two ends
        words = [word for chunk in column.chunks for word in _decoded(chunk).to_pandas().astype(str)]
        return [None if word in ("NaT", "nan") else word for word in words]
    try:
        return column.to_pylist()
    except (ValueError, OverflowError, LookupError):
        return [_value_or_text(column.slice(at, 1).chunk(0)) for at in range(len(column))]


def _decoded(chunk):
    return chunk.dictionary_decode() if hasattr(chunk, "dictionary_decode") else chunk


def _value_or_text(one):
    try:
        return one[0].as_py()
    except (ValueError, OverflowError, LookupError):
        pass
    try:
        return one.cast("string")[0].as_py()
    except (ValueError, NotImplementedError):
        return " ".join(str(one).split())[2:-2]  # without the brackets of the array


def _to_table(value, source, is_shown):
    pa = arrow()
    if source in ("pyarrow.Table", CAPSULE, RELATION):
        return value
    if source == "pyarrow.RecordBatch":
        return pa.Table.from_batches([value])
    if source == "pandas.Series":
        # A name that is no text would be lost on the way; the metadata keeps it.
        value = value.to_frame(name="value" if value.name is None else str(value.name))
    if source.startswith("pandas."):
        return pandas_frames.to_shown_table(value) if is_shown else pandas_frames.to_table(value)
    return polars_frames.to_shown_table(value) if is_shown else polars_frames.to_table(value)


def _to_pandas(mapped, source):
    try:
        frame = pandas_frames.from_mapped(mapped)
    except ImportError:
        return mapped.table
    if PANDAS_FREQUENCY in mapped.tags:
        with contextlib.suppress(ValueError):  # a calendar of the cell's own, or a name of another pandas: it is left open
            frame.index.freq = mapped.tags[PANDAS_FREQUENCY].decode()
    if source == "pandas.DataFrame":
        return frame
    name = json.loads(mapped.tags.get(PANDAS_NAME, b"null"))
    series = frame.iloc[:, 0]
    series.name = tuple(name) if isinstance(name, list) else name
    return series


def _to_polars(mapped, source):
    try:
        return polars_frames.from_table(mapped.table, source == "polars.Series")
    except ImportError:
        return _to_pandas(mapped, "pandas.DataFrame")


def _columns(names):
    return list(names) if sum(map(len, names)) < preview.MAX_BYTES else list(names[:200])
