"""An optimiser of torch and the model that it trains are stored each by itself, and find each other again in a cell that reads both.

A parameter and an optimiser have a name that is written with them. Whoever holds one only to work on it (an optimiser its
parameters, a scheduler its optimiser) takes the one that is here already; whoever owns it says what it holds.
"""

import contextlib
import hashlib
import sys
import weakref

from svc_runtime import comms

_names = {}  # id -> (a reference to the object, its name)
_here = {}  # name -> the object that was read last under it, and whether its owner was read
_count = 0


@contextlib.contextmanager
def anew():
    """What is read meanwhile finds nothing that was read before."""
    before = dict(_here)
    _here.clear()
    try:
        yield
    finally:
        _here.clear()
        _here.update(before)


def reduced(value, pickler):
    """What `__reduce__` would give, or NotImplemented."""
    torch = sys.modules.get("torch")
    optim = getattr(torch, "optim", None)
    if optim is None:
        return NotImplemented
    if not hasattr(pickler, "whole"):
        pickler.whole = value  # what is stored comes first
    if type(value) is torch.nn.Parameter:
        return _reduced_parameter(value, not _works_on_others(pickler.whole, torch))
    if isinstance(value, optim.Optimizer):
        how = value.__reduce_ex__(2)
        if len(how) > 2 and how[1] == (type(value),):
            return rebuild_optimiser, (type(value), _name_of(value), pickler.whole is value), how[2], None, None, fill
    return NotImplemented


def _works_on_others(whole, torch):
    """An optimiser, and a scheduler with its own; a model may have one for itself."""
    optimiser = getattr(whole, "optimizer", whole)
    return isinstance(optimiser, torch.optim.Optimizer) and not isinstance(whole, torch.nn.Module)


def _reduced_parameter(value, is_owner):
    if vars(value) or value._backward_hooks or str(value.layout) != "torch.strided" or value.device.type == "meta":
        return NotImplemented
    return rebuild_parameter, (value.data, value.requires_grad, _name_of(value), is_owner)


def rebuild_parameter(data, requires_grad, name, is_owner):
    import torch

    known, is_owned = _here.get(name, (None, False))
    if known is not None and not (is_owner and is_owned) and known.shape == data.shape and known.dtype == data.dtype:
        if is_owner:
            known.data, known.requires_grad = data, requires_grad
    else:
        known = torch.nn.Parameter(data, requires_grad)
    return _noted(known, name, is_owner or is_owned)


def rebuild_optimiser(kind, name, is_owner):
    known, is_owned = _here.get(name, (None, False))
    if type(known) is not kind or (is_owner and is_owned):
        known, is_owned = kind.__new__(kind), False
    known.svc_is_filled = is_owned  # by its owner: what others know of it is older or the same
    return _noted(known, name, is_owner or is_owned)


def fill(optimiser, state):
    if not vars(optimiser).pop("svc_is_filled"):
        optimiser.__setstate__(state)


def _noted(value, name, is_owned):
    _here[name] = value, is_owned
    _names[id(value)] = weakref.ref(value), name
    return value


def _name_of(value):
    """The same cell gives the same names each time."""
    global _count
    reference, name = _names.get(id(value), (lambda: None, ""))
    if reference() is not value:
        _count += 1
        name = hashlib.sha256(f"{comms.desk.cell_id} trained {_count}".encode()).hexdigest()[:16]
        _names[id(value)] = weakref.ref(value), name
    return name
