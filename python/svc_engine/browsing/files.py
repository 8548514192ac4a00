"""A view written to a file: whole where its types and its size allow it, otherwise a piece at a time."""

from svc_engine.browsing import CannotBrowse
from svc_engine.browsing.columns import is_number, is_temporal, is_text, plain, takeable, text
from svc_engine.browsing.view import View
from svc_engine.data import require

# Text that takes the place of values is made for so many rows at once.
_TEXT_ROWS = 1 << 16
# Of what does not fit into one table.
_PIECE_ROWS = 1 << 20


def write_csv(view, target):
    """What CSV has no form for goes as text: nested values as JSON, the rest as a page shows it."""
    csv = require("pyarrow.csv")
    empty = view.table.slice(0, 0).columns
    needs_text = any(_as_csv(column).type != column.type for column in empty)
    _write(view, _TEXT_ROWS if needs_text else None, _as_csv, lambda schema: csv.CSVWriter(target, schema))


def write_parquet(view, target):
    arrow = require("pyarrow")
    parquet = require("pyarrow.parquet")
    _refuse_what_parquet_lacks(view.table)
    try:
        _write(view, None, takeable, lambda schema: parquet.ParquetWriter(target, schema))
    except arrow.ArrowInvalid as problem:
        raise CannotBrowse(f"Parquet cannot hold this table ({problem}): export it as CSV") from problem


def _write(view, rows, convert, open_writer):
    arrow = require("pyarrow")
    names = view.table.column_names
    whole = view.whole()
    source = view if whole is None else View(whole, None)
    step = max(1, (rows or view.total) if whole is not None else (rows or _PIECE_ROWS))
    writer = None
    try:
        for offset in range(0, max(view.total, 1), step):
            columns = [convert(column) for column in source.columns(offset, step)]
            piece = arrow.Table.from_arrays(columns, names=names) if columns else view.table.slice(0, 0)
            if writer is None:
                writer = open_writer(piece.schema)
            writer.write_table(piece)
    finally:
        if writer is not None:
            writer.close()


def _as_csv(column):
    arrow = require("pyarrow")
    kind = column.type
    if arrow.types.is_dictionary(kind):
        return _as_csv(plain(column))
    has_form = is_number(kind) or is_temporal(kind) or is_text(kind) or arrow.types.is_boolean(kind)
    has_form = has_form or arrow.types.is_null(kind)
    return column if has_form and _has_known_zone(kind) else text(column)


def _has_known_zone(kind):
    arrow = require("pyarrow")
    if not arrow.types.is_timestamp(kind) or kind.tz is None:
        return True
    try:
        arrow.scalar(0, kind).cast(arrow.string())
        return True
    except arrow.ArrowInvalid:
        return False


def _refuse_what_parquet_lacks(table):
    arrow = require("pyarrow")
    parquet = require("pyarrow.parquet")
    for field, column in zip(table.schema, table.columns):
        empty = takeable(column.slice(0, 0))
        try:
            schema = arrow.schema([arrow.field(field.name, empty.type)])
            parquet.ParquetWriter(arrow.BufferOutputStream(), schema).close()
        except (arrow.ArrowNotImplementedError, arrow.ArrowInvalid) as problem:
            raise CannotBrowse(
                f"Parquet has no type for the column {field.name!r} ({field.type}): export the table as CSV"
            ) from problem
