"""Numpy arrays and plain numbers as arrow columns that share their memory.

`pyarrow.array` would do for most of them, but it imports pandas wherever that is installed, which takes longer than
storing a hundred megabytes. Here the column is told where its numbers lie.
"""

import struct

from svc_runtime.values.arrow_file import arrow

_SMALLEST_INT64, _LARGEST_INT64 = -(2**63), 2**63 - 1


def of_array(flat):
    """A column of a flat array; raises where arrow has no type for it. Booleans become bits, days become dates."""
    import numpy

    pa = arrow()
    validity = None
    data = flat
    if flat.dtype.kind in "mM":
        missing = numpy.isnat(flat)
        if missing.any():
            validity = pa.py_buffer(numpy.packbits(~missing, bitorder="little"))
        if numpy.datetime_data(flat.dtype)[0] == "D":
            data = _days(flat, missing)
    elif flat.dtype.kind == "b":
        data = numpy.packbits(flat, bitorder="little")
    kind = pa.from_numpy_dtype(flat.dtype)
    return pa.Array.from_buffers(kind, len(flat), [validity, _buffer(data)])


def of_number(value):
    """A column of one boolean, integer or float; None for anything else."""
    pa = arrow()
    if type(value) is bool:
        return pa.Array.from_buffers(pa.bool_(), 1, [None, pa.py_buffer(struct.pack("<?", value))])
    if type(value) is int and _SMALLEST_INT64 <= value <= _LARGEST_INT64:
        return pa.Array.from_buffers(pa.int64(), 1, [None, pa.py_buffer(struct.pack("<q", value))])
    if type(value) is float:
        return pa.Array.from_buffers(pa.float64(), 1, [None, pa.py_buffer(struct.pack("<d", value))])
    return None


def _days(flat, missing):
    """Arrow counts days in 32 bits, numpy in 64."""
    days = flat.view("i8")
    narrow = days.astype("i4")
    narrow[missing] = 0
    if (narrow != days)[~missing].any():
        raise ValueError("arrow cannot hold days so far away")
    return narrow


def _buffer(data):
    # Moments and durations speak no buffer protocol; their numbers do.
    return arrow().py_buffer(data.view("i8") if data.dtype.kind in "mM" else data)
