"""`arrow/ipc` tensors: numpy arrays, torch and jax tensors, and whatever speaks DLPack, as one flat column.

An array is written from where it lies, and read back as a private mapping of the file: nothing is copied until a cell
writes to it. A large array in Fortran's order stays in that order; a large one of booleans takes a byte for each.
"""

import json
import sys

from svc_runtime.values import arrow_columns, torch_tensors
from svc_runtime.values.arrow_file import SOURCE, arrow, tagged, write_aligned
from svc_runtime.values.encoding import Encoding, expect

SHAPE_OF_TENSOR = b"svc.arrow.tensor.shape"
# In its place where the first index runs fastest: who does not know of that finds no shape, and not a wrong one.
FORTRAN_SHAPE = b"svc.arrow.tensor.fortran_shape"
DTYPE = b"svc.arrow.tensor.dtype"
# Below this, copying costs nothing, and one order of the numbers is simpler for whoever else reads them.
LARGE_BYTES = 1024 * 1024
_KINDS = "iufbcmM"


def encodings(value):
    source, dtype, make = _source(value)
    if source is None or arrow() is None:
        return

    def write(stream):
        size = getattr(value, "nbytes", 0)
        if size >= LARGE_BYTES:
            expect(stream, size)  # before a GPU is asked for it
        array = make()
        is_large = array.nbytes >= LARGE_BYTES
        in_fortran = is_large and array.flags.f_contiguous and not array.flags.c_contiguous
        shape = {FORTRAN_SHAPE if in_fortran else SHAPE_OF_TENSOR: json.dumps(list(array.shape)).encode()}
        tags = {SOURCE: source.encode(), **shape, DTYPE: array.dtype.str.encode()}
        flat = _as_stored((array.T if in_fortran else array).reshape(-1), is_large)
        table = arrow().Table.from_arrays([arrow_columns.of_array(flat)], names=["values"])
        write_aligned(tagged(table, "tensor", tags), stream)

    yield Encoding("arrow/ipc", ".arrow", write, f"{type(value).__name__} shape={tuple(value.shape)} dtype={dtype}")


def from_mapped(mapped):
    import numpy

    dtype = numpy.dtype(mapped.tags[DTYPE].decode())
    flat = _flat(mapped, dtype)
    if FORTRAN_SHAPE in mapped.tags:
        array = flat.reshape(json.loads(mapped.tags[FORTRAN_SHAPE]), order="F")
    else:
        array = flat.reshape(json.loads(mapped.tags[SHAPE_OF_TENSOR]))
    source = mapped.tags.get(SOURCE, b"").decode()
    if source == "torch.Tensor":
        try:
            import torch
        except ImportError:
            return array
        return torch.from_numpy(array)
    return _to_jax(array, dtype) if source == "jax.Array" else array


def _source(value):
    """(what it is, the type of its numbers, a function that gives them as a numpy array); nothing is moved before."""
    numpy = sys.modules.get("numpy")
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    if torch_tensors.is_tensor(value):
        if torch_tensors.is_array(value):
            return "torch.Tensor", str(value.dtype).removeprefix("torch."), lambda: torch_tensors.to_array(value)
    elif numpy is not None and kind is numpy.ndarray:
        if _holds_numbers(value.dtype):
            return "numpy.ndarray", value.dtype, lambda: value
    elif package in ("jax", "jaxlib") and hasattr(value, "__array__") and hasattr(value, "sharding"):
        if _holds_numbers(value.dtype):
            return "jax.Array", value.dtype, lambda: numpy.asarray(value)
    elif numpy is not None and isinstance(value, numpy.ndarray):
        pass  # of a class of its own, which knows more than numbers: astropy's have units
    elif package not in ("numpy", "pandas", "polars", "pyarrow", "torch") and hasattr(kind, "__dlpack__"):
        import numpy

        try:
            array = numpy.from_dlpack(value)
        except (TypeError, RuntimeError, ValueError, BufferError):
            return None, None, None  # on a device, or of a type that numpy lacks: pickle takes it
        if _holds_numbers(array.dtype):
            return "dlpack", array.dtype, lambda: array
    return None, None, None


def _holds_numbers(dtype):
    return dtype.kind in _KINDS and dtype.isnative


def _as_stored(flat, is_large):
    if flat.dtype.kind == "c":
        return flat.view(flat.real.dtype)
    return flat.view("u1") if flat.dtype.kind == "b" and is_large else flat


def _flat(mapped, dtype):
    import numpy

    column = mapped.table.column("values")
    stored = numpy.empty(0, dtype).real.dtype if dtype.kind == "c" else dtype
    lies_there = len(column.chunks) == 1 and _width(column.type) == stored.itemsize * 8
    if lies_there:
        return mapped.numbers(column.chunks[0], stored).view(dtype)
    return numpy.array(column.to_numpy(), dtype=stored).view(dtype)  # bits, days of 32 bits, or nothing at all


def _width(kind):
    try:
        return kind.bit_width
    except ValueError:
        return None


def _to_jax(array, dtype):
    try:
        import jax
    except ImportError:
        return array
    if dtype.itemsize == 8 and dtype.kind in "iuf" and not jax.config.jax_enable_x64:
        print("svc: 64-bit numbers in an input: jax_enable_x64 was switched on", file=sys.stderr)
        jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(array)
