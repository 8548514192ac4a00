"""Picklers that know, beyond what their base knows, how to hand over the memory of tensors, frames and arrays with gaps."""

import functools
import sys

from svc_runtime.values import polars_frames, torch_tensors
from svc_runtime.values.out_of_band import SMALLEST_BYTES


def of(base):
    """`base` itself as long as nothing is loaded that this is about."""
    return _with_memory(base) if not sys.modules.keys().isdisjoint(("numpy", "torch", "polars")) else base


@functools.cache
def _with_memory(base):
    theirs = getattr(base, "reducer_override", None)

    class Pickler(base):
        def reducer_override(self, value):
            found = _reduced(value, self)
            return theirs(self, value) if found is NotImplemented and theirs is not None else found

    return Pickler


def _reduced(value, pickler):
    if torch_tensors.is_tensor(value):
        if not hasattr(pickler, "storages"):
            pickler.storages = {}
        return torch_tensors.reduced(value, pickler.storages)
    if _is_a(value, "numpy", "ndarray"):
        return _reduced_array(value, sys.modules["numpy"])
    if _is_a(value, "polars", "DataFrame") or _is_a(value, "polars", "Series"):
        return polars_frames.reduced(value, SMALLEST_BYTES)
    return NotImplemented


def _is_a(value, package, name):
    return type(value) is getattr(sys.modules.get(package), name, None)


def _reduced_array(value, numpy):
    """Numpy would write an array with gaps into the pickle itself."""
    has_gaps = not (value.flags.c_contiguous or value.flags.f_contiguous)
    if has_gaps and not value.dtype.hasobject and value.nbytes >= SMALLEST_BYTES:
        return numpy.ascontiguousarray(value).__reduce_ex__(5)
    return NotImplemented
