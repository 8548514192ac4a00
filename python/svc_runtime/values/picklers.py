"""Picklers that know, beyond what their base knows, how to hand over the memory of tensors, frames and arrays with gaps, and that
classes and functions of cells are the same wherever they arrive.
"""

import functools
import sys
import types

from svc_runtime.values import cell_code, polars_frames, torch_links, torch_tensors
from svc_runtime.values.out_of_band import SMALLEST_BYTES


def of(base):
    """`base` itself as long as nothing is loaded that this is about."""
    is_needed = cell_code.is_there() or not sys.modules.keys().isdisjoint(("numpy", "torch", "polars", "PIL"))
    return _with_memory(base) if is_needed else base


@functools.cache
def _with_memory(base):
    theirs = getattr(base, "reducer_override", None)

    class Pickler(base):
        def reducer_override(self, value):
            found = _reduced(value, self)
            return theirs(self, value) if found is NotImplemented and theirs is not None else found

    return Pickler


def _reduced(value, pickler):
    if isinstance(value, (type, types.FunctionType)):
        # Only cloudpickle can hand over what makes them.
        return cell_code.reduced(value) if type(pickler).__mro__[1].__module__.startswith("cloudpickle") else NotImplemented
    linked = torch_links.reduced(value, pickler)
    if linked is not NotImplemented:
        return linked
    if torch_tensors.is_tensor(value):
        if not hasattr(pickler, "storages"):
            pickler.storages = {}
        return torch_tensors.reduced(value, pickler.storages)
    if _is_a(value, "numpy", "ndarray"):
        return _reduced_array(value, sys.modules["numpy"])
    if _has_fields(value, sys.modules.get("numpy")):
        return _with_fields, (value.view(sys.modules["numpy"].ndarray), type(value)), vars(value), None, None, _set_fields
    if _is_a(value, "PIL.ImageDraw", "ImageDraw") and hasattr(value, "_image"):
        # It draws into the memory of its picture, which nothing but itself finds again.
        fields = {name: field for name, field in vars(value).items() if name not in ("im", "draw", "_image")}
        return sys.modules["PIL.ImageDraw"].Draw, (value._image, value.mode), fields
    if _is_a(value, "polars", "DataFrame") or _is_a(value, "polars", "Series"):
        return polars_frames.reduced(value, SMALLEST_BYTES)
    return NotImplemented


def _is_a(value, package, name):
    return type(value) is getattr(sys.modules.get(package), name, None)


def _has_fields(value, numpy):
    """Numpy forgets what a class made from its own keeps beside the numbers; a file that is mapped is nothing that could travel."""
    array = getattr(numpy, "ndarray", None)
    if array is None or not isinstance(value, array) or isinstance(value, numpy.memmap) or not getattr(value, "__dict__", None):
        return False
    return all(getattr(type(value), name) is getattr(array, name) for name in ("__reduce__", "__reduce_ex__", "__setstate__"))


def _with_fields(array, kind):
    return array.view(kind)


def _set_fields(array, fields):
    array.__dict__.update(fields)


def _reduced_array(value, numpy):
    """Numpy would write an array with gaps into the pickle itself."""
    has_gaps = not (value.flags.c_contiguous or value.flags.f_contiguous)
    if has_gaps and not value.dtype.hasobject and value.nbytes >= SMALLEST_BYTES:
        return numpy.ascontiguousarray(value).__reduce_ex__(5)
    return NotImplemented
