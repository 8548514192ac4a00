"""Modules, and what a cell lends to others as source: `module/import`, `module/cell`, `module/cell-instance`.

A lent function or class is not pickled: its cell's declarations are run again as a module in the consumer. The module
is made once per process under its own name, so a class and its instances that arrive separately belong together.
"""

import enum
import importlib
import importlib.util
import json
import pickle
import types

from svc_runtime.values import cell_code, out_of_band, pickles
from svc_runtime.values.encoding import Encoding

_FORMAT = "svc.instance.v1"
_FORMAT_WITH_BUFFERS = "svc.instance.v2"


def import_encodings(module):
    def write(stream):
        if importlib.util.find_spec(module.__name__) is None:
            raise ModuleNotFoundError(f"the module {module.__name__!r} cannot be imported by its name")
        stream.write(json.dumps({"module_name": module.__name__}).encode())

    yield Encoding("module/import", ".module.json", write, f"<module '{module.__name__}'>")


def read_import(path):
    with open(path, encoding="utf-8") as file:
        return importlib.import_module(json.load(file)["module_name"])


def slice_encodings(name, slice_):
    """`slice_`: what the server found out about the cell: module_name, kind, source, provenance_hash, injected."""
    blob = {
        "module_name": slice_["module_name"],
        "symbol_name": name,
        "kind": slice_["kind"],
        "source": slice_["source"],
        "provenance_hash": slice_.get("provenance_hash"),
        "injected": slice_.get("injected", {}),
    }

    def write(stream):
        stream.write(json.dumps(blob, indent=2).encode())

    kind = slice_["kind"]
    yield Encoding("module/cell", ".cell_module.json", write, f"<{kind} {name}>", type=kind)


def lend(exported, slices, namespace):
    """Remember what of this cell travels as source, so that instances of its classes can follow them."""
    for name, value in exported.items():
        if name in slices and isinstance(value, (type, types.FunctionType)):
            slice_ = slices[name]
            injected = {given: namespace[given] for given in slice_.get("injected", {}) if given in namespace}
            cell_code.lent[value] = slice_["module_name"]
            cell_code.sources[slice_["module_name"]] = (slice_["source"], injected)


def read_slice(path, injected):
    with open(path, encoding="utf-8") as file:
        blob = json.load(file)
    return getattr(cell_code.module_of(blob["module_name"], blob["source"], injected), blob["symbol_name"])


def instance_encodings(value, codec, **facts):
    kind = type(value)
    module_name = cell_code.lent.get(kind) or (kind.__module__ if kind.__module__ in cell_code.sources else None)
    if module_name is None or kind.__qualname__ != kind.__name__:
        return
    source, injected = cell_code.sources[module_name]
    if isinstance(value, enum.Enum):
        return  # one of a few, which its class knows

    def write(stream):
        used, payload, views = pickles.dump(_state(value), codec, stream)
        blob = {"module_name": module_name, "class_name": kind.__name__, "source": source, "state_codec": used}
        if injected:
            blob["injected"] = dict(zip(("codec", "payload"), pickles.dump_whole(injected, codec)))
        if views:
            out_of_band.write(stream, {"format": _FORMAT_WITH_BUFFERS, **blob}, payload, views)
        else:
            pickle.dump({"format": _FORMAT, **blob, "state_payload": payload}, stream, 5)

    shown = f"<{kind.__name__} object>"
    yield Encoding("module/cell-instance", ".cell_instance.pickle", write, shown, codec=codec, type=kind.__name__, **facts)


def read_instance(path):
    with open(path, "rb") as file:
        blob = pickle.load(file)
        if blob["format"] == _FORMAT_WITH_BUFFERS:
            payload, buffers = out_of_band.read(file, blob)
        else:
            payload, buffers = blob["state_payload"], []
    injected = pickle.loads(blob["injected"]["payload"]) if "injected" in blob else {}
    kind = getattr(cell_code.module_of(blob["module_name"], blob["source"], injected), blob["class_name"])
    value = kind.__new__(kind)
    state = pickle.loads(payload, buffers=buffers)
    if hasattr(value, "__setstate__"):
        value.__setstate__(state)
        return value
    fields, slots = state if isinstance(state, tuple) else (state, None)
    for name, field in {**(fields or {}), **(slots or {})}.items():
        object.__setattr__(value, name, field)  # frozen dataclasses refuse the ordinary way
    return value


def _state(value):
    """As pickle sees it: `__getstate__`, or the fields, or a pair of fields and slots."""
    if hasattr(value, "__getstate__"):  # every object has it since 3.11
        return value.__getstate__()
    slots = {
        name: getattr(value, name) for kind in type(value).__mro__ for name in _slot_names(kind) if hasattr(value, name)
    }
    fields = getattr(value, "__dict__", None)
    return (fields, slots) if slots else fields


def _slot_names(kind):
    slots = kind.__dict__.get("__slots__", ())
    return [slots] if isinstance(slots, str) else [name for name in slots if name not in ("__dict__", "__weakref__")]
