"""Tables, series and arrays as text for a prompt: a line that says what it is, then rows of fixed width, as many as fit."""

import json

from svc_engine.browsing.shown import python_values
from svc_engine.data import require

_SHAPE = b"svc.arrow.shape"
_SOURCE = b"svc.arrow.source"
_FORTRAN_SHAPE = b"svc.arrow.tensor.fortran_shape"


def read_arrow(file):
    """A table, or the value of what is stored as an array or a scalar."""
    with require("pyarrow").memory_map(file) as source:
        table = require("pyarrow.ipc").open_stream(source).read_all()
    tags = table.schema.metadata or {}
    shape = tags.get(_SHAPE, b"table")
    if shape == b"scalar":
        return table.column(0)[0].as_py()
    if shape == b"tensor":
        return _array_text(table, tags)
    return Table(table, is_series=tags.get(_SOURCE, b"").endswith(b".Series"))


def _array_text(table, tags):
    in_fortran = _FORTRAN_SHAPE in tags
    shape = tuple(json.loads(tags.get(_FORTRAN_SHAPE if in_fortran else b"svc.arrow.tensor.shape", b"[]")))
    dtype = tags.get(b"svc.arrow.tensor.dtype", b"").decode()
    first = range(min(10, table.num_rows))
    values = [table.column(0)[_fortran_place(at, shape) if in_fortran else at].as_py() for at in first]
    shown = [str(bool(value)) if dtype == "|b1" else str(value) for value in values]
    more = ", ..." if table.num_rows > 10 else ""
    return f"ndarray shape={shape} dtype={dtype}\n[{', '.join(shown)}{more}]"


def _fortran_place(at, shape):
    """Where a number lies whose first index runs fastest, given its place when the last one does."""
    indices = []
    for length in reversed(shape):
        at, index = divmod(at, length)
        indices.append(index)
    place = 0
    for index, length in zip(indices, reversed(shape), strict=True):
        place = place * length + index
    return place


class Table:
    """What a template may ask of a table."""

    def __init__(self, table, is_series=False):
        self._table = table
        self._is_series = is_series

    @property
    def shape(self):
        return (self._table.num_rows, self._table.num_columns)

    @property
    def columns(self):
        return list(self._table.column_names)

    @property
    def name(self):
        return self._table.column_names[0] if self._is_series else None

    def head(self):
        return Table(self._table.slice(0, 5), self._is_series)

    def tail(self):
        return Table(self._table.slice(max(0, self._table.num_rows - 5)), self._is_series)

    def describe(self):
        arrow, compute = require("pyarrow"), require("pyarrow.compute")
        columns = {"": ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]}
        for name, column in zip(self._table.column_names, self._table.columns, strict=True):
            kind = column.type
            if not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind)):
                continue
            quartiles = compute.quantile(column, [0.25, 0.5, 0.75]).to_pylist()
            ends = compute.min_max(column).as_py()
            spread = compute.stddev(column, ddof=1).as_py() if len(column) > 1 else None
            count = len(column) - column.null_count
            figures = [count, compute.mean(column).as_py(), spread, ends["min"], *quartiles, ends["max"]]
            columns[name] = ["" if figure is None else f"{figure:.6g}" for figure in figures]
        return Table(arrow.table(columns))

    def text(self, budget):
        rows, columns = self.shape
        if self._is_series:
            kind = self._table.schema.types[0]
            title = f"Series name={self.name} length={rows} dtype={kind}"
        else:
            title = f"DataFrame shape=({rows}, {columns}) columns={self.columns}"
        # A row takes at least two characters for each column: more of them than this never fit.
        shown = self._table.slice(0, budget // max(1, 2 * columns) + 1)
        cells = [[_cell(value) for value in python_values(column)] for column in shown.columns]
        names = self._table.column_names
        widths = [max(map(len, [name, *values])) for name, values in zip(names, cells, strict=True)]
        lines = [_line(row, widths) for row in zip(*cells, strict=True)]
        head = [title] if self._is_series else [title, _line(names, widths)]
        room = budget - sum(len(line) + 1 for line in head)
        kept = []
        for line in lines:
            room -= len(line) + 1
            if room < 0:
                break
            kept.append(line)
        more = [] if len(kept) == rows else [f"... ({rows - len(kept)} more rows)"]
        return "\n".join([*head, *kept, *more])


def _line(row, widths):
    return " ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))


def _cell(value):
    if value is None:
        return "NaN"
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("\n", " ")
