"""Looks into a stored table: a page of it, filtered, searched and sorted; a summary by column; an export to a file.

The file is mapped, not read: a page of a large table touches the columns that it filters and sorts by, and the rows
that it shows. Filters that make no sense for a column are ignored, as the protocol has it; an order that makes none is
refused, since a page that ignored it would look sorted.
"""

import mmap
import os

from svc_engine.browsing import CannotBrowse
from svc_engine.browsing.comparing import compare_tables
from svc_engine.browsing.details import column_details
from svc_engine.browsing.files import write_csv, write_parquet
from svc_engine.browsing.intervals import with_intervals
from svc_engine.browsing.labels import labels_of
from svc_engine.browsing.periods import with_periods
from svc_engine.browsing.shown import shown_values
from svc_engine.browsing.summary import column_summary, histogram
from svc_engine.browsing.unique_names import with_unique_names
from svc_engine.browsing.view import column_of, select
from svc_engine.data import require

SHAPE = b"svc.arrow.shape"


def browse(params):
    """`{pageable, columns, rows, total}` of a view; rows hold JSON values, nulls as empty text.

    With `exact`, nulls stay apart from empty texts, and it is said what the owner of the table calls its rows and columns
    (`labels`) and where each row lies in it (`positions`).
    """
    table = open_table(params["file"])
    if table is None:
        return {"pageable": False, "columns": [], "rows": [], "total": 0}
    offset, limit, exact = params["offset"], params["limit"], params.get("exact", False)
    view = select(table, params)
    columns = [shown_values(column, exact) for column in view.columns(offset, limit)]
    page = {
        "pageable": True,
        "columns": table.column_names,
        "rows": [list(row) for row in zip(*columns)] if columns else [],
        "total": view.total,
    }
    return {**page, "labels": labels_of(table.schema), "positions": view.positions(offset, limit)} if exact else page


def summarise(params):
    """Type, nulls, distinct values and bounds of every column; with `bins`, also how its values spread."""
    table = open_table(params["file"])
    if table is None:
        return {"pageable": False, "columns": [], "total": 0}
    columns = [column_summary(name, column) for name, column in zip(table.column_names, table.columns)]
    if params["bins"] > 0:
        columns = [
            {**summary, "histogram": histogram(column, params["bins"])} for summary, column in zip(columns, table.columns)
        ]
    return {"pageable": True, "columns": columns, "total": table.num_rows}


def describe(params):
    """Statistics and the most frequent values of one column of a view; None when there is no such column."""
    table = open_table(params["file"])
    if table is None or params["column"] not in table.column_names:
        return None
    view = select(table, {**params, "sortBy": None})
    return column_details(params["column"], column_of(table, params["column"]), view.indices, params["most"])


def compare(params):
    """Two tables side by side; None when one of them is none."""
    before, after = open_table(params["before"]), open_table(params["file"])
    if before is None or after is None:
        return None
    return compare_tables(before, after, params["offset"], params["limit"], params["onlyDifferent"])


def export(params):
    """Writes the view to `target` as `csv` or `parquet`; false when the value is no table."""
    table = open_table(params["file"])
    if table is None:
        return {"exported": False}
    write = write_csv if params["format"] == "csv" else write_parquet
    write(select(table, params), params["target"])
    return {"exported": True}


def open_table(path):
    """The table in an Arrow stream, or None when the stream holds an array or a single value."""
    arrow = require("pyarrow")
    ipc = require("pyarrow.ipc")
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            raise CannotBrowse("The stored table is empty: run the cell again")
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        table = ipc.open_stream(arrow.BufferReader(arrow.py_buffer(memory))).read_all()
    except MemoryError:
        raise  # no fault of the table's bytes
    except (arrow.ArrowException, OSError) as problem:
        raise CannotBrowse(f"The stored table cannot be read ({problem}): run the cell again") from problem
    shape = (table.schema.metadata or {}).get(SHAPE, b"table")
    return with_unique_names(with_intervals(with_periods(table))) if shape in (b"table", b"series") else None
