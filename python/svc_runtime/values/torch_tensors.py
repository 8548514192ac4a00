"""How tensors lie in a pickle: their storage is a buffer that is mapped when it is read, like the memory of an array.

Torch's own way writes each tensor as an archive inside the pickle: several copies, other bytes in each process, and
tensors that share a storage come back with one each. What is no plain tensor of numbers still goes that way.
"""

import pickle
import sys

from svc_runtime.values import devices

_NUMPY_TYPES = {
    *(f"torch.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *(f"torch.{name}" for name in ("bool", "float16", "float32", "float64", "complex64", "complex128")),
}


def is_tensor(value):
    return type(value) is getattr(sys.modules.get("torch"), "Tensor", None)


def is_array(value):
    """Whether an array says all there is to know of the tensor."""
    return _is_plain(value) and not value.requires_grad and str(value.dtype) in _NUMPY_TYPES


def to_array(value):
    return (value if devices.is_cpu(value.device) else value.cpu()).numpy()


def reduced(value, storages):
    """What `__reduce__` would give, or NotImplemented. `storages`: those of the same pickle that were met already."""
    if not is_tensor(value) or not _is_plain(value):
        return NotImplemented
    try:
        storage = value.untyped_storage()
        key = str(value.device), storage.data_ptr(), storage.nbytes()
    except Exception:
        return NotImplemented  # no memory of its own to speak of
    holder = storages.setdefault(key, _Storage(storage))
    place = value.storage_offset(), tuple(value.shape), value.stride()
    return rebuild_tensor, (holder, value.dtype, *place, value.requires_grad)


def rebuild_tensor(storage, dtype, offset, shape, stride, requires_grad):
    import torch

    return torch.empty(0, dtype=dtype).set_(storage, offset, shape, stride).requires_grad_(requires_grad)


def rebuild_storage(buffer):
    import torch

    if len(buffer) == 0:
        return torch.UntypedStorage(0)
    return torch.frombuffer(buffer, dtype=torch.uint8).untyped_storage()


class _Storage:
    """One object a storage, so that the pickle knows it again."""

    def __init__(self, storage):
        self._storage = storage

    def __reduce__(self):
        torch = sys.modules["torch"]
        storage = self._storage if devices.is_cpu(self._storage.device) else self._storage.cpu()
        memory = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
        return rebuild_storage, (pickle.PickleBuffer(memory),)


def _is_plain(value):
    try:
        return (
            str(value.layout) == "torch.strided"
            and value.device.type != "meta"
            and not (value.is_quantized or value.is_nested or value.is_conj() or value.is_neg())
            and not vars(value)
            and not value._backward_hooks
        )
    except Exception:
        return False  # a Torch that lacks one of these
