"""`arrow/ipc` single values: dates, times, decimals, bytes, UUIDs, complex numbers and numpy's own scalars, each as a
table of one row and one column."""

import datetime
import decimal
import sys
import uuid

from svc_runtime.values import arrow_columns, preview
from svc_runtime.values.arrow_file import arrow, tagged, write_table
from svc_runtime.values.encoding import Encoding

TYPE = b"svc.arrow.scalar.type"
_PLAIN = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, bytes, bytearray)


def is_written_otherwise(value):
    """By Python than by its preview: `Decimal('0.1')`, `np.True_`. A number of numpy is a number."""
    numpy = sys.modules.get("numpy")
    return type(value) in (*_PLAIN, uuid.UUID) or (numpy is not None and isinstance(value, numpy.bool_))


def number_in(value):
    """A number of Python's own or of numpy's as Python's; None for anything else."""
    numpy = sys.modules.get("numpy")
    if type(value) in (int, float):
        return value
    is_number = numpy is not None and isinstance(value, (numpy.integer, numpy.floating))
    found = value.item() if is_number else None
    return found if isinstance(found, (int, float)) else None


def is_short_float(value):
    """Whose digits say more than it holds when they are written as those of a double."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.float16, numpy.float32))


def encodings(value):
    kind = type(value)
    numpy = sys.modules.get("numpy")
    from_numpy = numpy is not None and isinstance(value, numpy.generic) and kind.__module__ == "numpy"
    if not (from_numpy or kind in _PLAIN or kind in (uuid.UUID, complex)) or arrow() is None:
        return

    def write(stream):
        pa = arrow()
        plain = value.item() if from_numpy else value
        column, tag = _column(pa, plain)
        if column.to_pylist()[0] != _as_stored(plain):
            raise ValueError("arrow cannot hold this value exactly")
        write_table(tagged(pa.Table.from_arrays([column], names=["value"]), "scalar", {TYPE: tag} if tag else {}), stream)

    if from_numpy and isinstance(value, (numpy.bool_, numpy.integer, numpy.floating)):
        shown, facts = preview.of_json(value.item())
    else:
        shown, facts = preview.of_text(repr(value) if isinstance(value, (bytes, bytearray)) else str(value)), {}
    yield Encoding("arrow/ipc", ".arrow", write, shown, **facts)


def from_mapped(mapped):
    value = mapped.table.column("value")[0].as_py()
    tag = mapped.tags.get(TYPE)
    if tag == b"uuid":
        return uuid.UUID(bytes=value)
    if tag == b"complex":
        return complex(value["real"], value["imag"])
    return bytearray(value) if tag == b"bytearray" else value


def _column(pa, value):
    if isinstance(value, uuid.UUID):
        return pa.array([value.bytes], pa.binary(16)), b"uuid"
    if isinstance(value, complex):
        return pa.array([{"real": value.real, "imag": value.imag}]), b"complex"
    if isinstance(value, bytearray):
        return pa.array([bytes(value)]), b"bytearray"
    number = arrow_columns.of_number(value)
    return pa.array([value]) if number is None else number, None


def _as_stored(value):
    if isinstance(value, uuid.UUID):
        return value.bytes
    if isinstance(value, complex):
        return {"real": value.real, "imag": value.imag}
    return value
