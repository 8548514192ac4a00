"""`arrow/ipc` tensors: numpy arrays, torch and jax tensors, and whatever speaks DLPack, as one flat column.

A numpy array read back is a private mapping of the file: nothing is copied until the cell writes to it.
"""

import json
import sys

from svc_runtime.values.arrow_file import SOURCE, arrow, tagged, write_table
from svc_runtime.values.encoding import Encoding

SHAPE_OF_TENSOR = b"svc.arrow.tensor.shape"
DTYPE = b"svc.arrow.tensor.dtype"
_KINDS = "iufbcmM"


def encodings(value):
    source, array = _as_numpy(value)
    if array is None or array.dtype.kind not in _KINDS or not array.dtype.isnative or arrow() is None:
        return

    def write(stream):
        tags = {
            SOURCE: source.encode(),
            SHAPE_OF_TENSOR: json.dumps(list(array.shape)).encode(),
            DTYPE: array.dtype.str.encode(),
        }
        flat = _real(array.reshape(-1))
        table = arrow().table({"values": arrow().array(flat, from_pandas=False)})
        write_table(tagged(table, "tensor", tags), stream)

    shown = f"{type(value).__name__} shape={tuple(array.shape)} dtype={array.dtype}"
    yield Encoding("arrow/ipc", ".arrow", write, shown)


def from_mapped(mapped):
    import numpy

    dtype = numpy.dtype(mapped.tags[DTYPE].decode())
    array = _flat(mapped, dtype).reshape(json.loads(mapped.tags[SHAPE_OF_TENSOR]))
    source = mapped.tags.get(SOURCE, b"").decode()
    if source == "torch.Tensor":
        try:
            import torch
        except ImportError:
            return array
        return torch.from_numpy(array)
    return _to_jax(array, dtype) if source == "jax.Array" else array


def _as_numpy(value):
    numpy = sys.modules.get("numpy")
    kind = type(value)
    if numpy is not None and kind is numpy.ndarray:
        return "numpy.ndarray", value
    package = kind.__module__.partition(".")[0]
    try:
        if package == "torch" and kind.__name__ in ("Tensor", "Parameter"):
            return "torch.Tensor", value.detach().cpu().numpy()
        if package in ("jax", "jaxlib") and hasattr(value, "__array__") and hasattr(value, "sharding"):
            return "jax.Array", numpy.asarray(value)
        if package not in ("numpy", "pandas", "polars", "pyarrow") and hasattr(kind, "__dlpack__"):
            import numpy as np

            return "dlpack", np.from_dlpack(value)
    except (TypeError, RuntimeError, ValueError, BufferError):
        pass  # bfloat16, sparse, on a device: pickle takes it
    return None, None


def _real(flat):
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _flat(mapped, dtype):
    import numpy

    chunks = mapped.table.column("values").chunks
    stored = numpy.empty(0, dtype).real.dtype if dtype.kind == "c" else dtype
    if dtype.kind == "b" or len(chunks) != 1:
        return numpy.array(mapped.table.column("values").to_numpy(), dtype=stored).view(dtype)
    return mapped.numbers(chunks[0], stored).view(dtype)


def _to_jax(array, dtype):
    try:
        import jax
    except ImportError:
        return array
    if dtype.itemsize == 8 and dtype.kind in "iuf" and not jax.config.jax_enable_x64:
        print("svc: 64-bit numbers in an input: jax_enable_x64 was switched on", file=sys.stderr)
        jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(array)
