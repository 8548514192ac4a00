"""Notices inputs that a cell changed in place. Other cells go on seeing the value that was stored, so the change would
be lost without a word. A sample of the content decides; this is advice and never fails a cell.
"""

import functools
import itertools
import sys
import types

_IMMUTABLE = (int, float, complex, str, bytes, bool, type(None), range, type, types.ModuleType)
_MAX_NODES = 2000
# Arrays up to this length are compared whole. Of a longer one, each number is likely to bring in a page of its file.
_WHOLE = 4096
_SAMPLE = 512
_SMALL_SAMPLE = 64
_END = 64
_WHOLE_PICTURE = 1024 * 1024  # pixels; a larger one is made smaller
# After so many numbers samples become small; each array then counts as several nodes.
_MAX_NUMBERS = 16 * 1024
_ARRAY_NODES = 8
_GOLDEN = (5**0.5 - 1) / 2


def fingerprint(value):
    """Something that is equal before and after as long as the value has not changed, as far as a sample can tell."""
    if isinstance(value, _IMMUTABLE):
        return None
    try:
        return _sample(value, Room(), set())
    except Exception:
        return None


def warnings(before, namespace, exported):
    """`before`: name -> (value, fingerprint) of each input. `exported`: names this cell stores anew."""
    found = []
    for name, (value, sample) in before.items():
        if name not in namespace:
            found.append(
                _warning(name, f"'{name}' was deleted; other cells still get it from the one that made it.", None)
            )
        elif namespace[name] is value and name not in exported and fingerprint(value) != sample:
            message = f"'{name}' was mutated in place (no reassignment); other cells keep seeing it as it was stored."
            suggestion = (
                f"Assign it anew ('{name} = {name}.copy()' before the change), or change it in the cell that made it."
            )
            found.append(_warning(name, message, suggestion))
    return found


def shared(namespace, stored):
    """Warnings for names that are stored separately although they are one changeable object."""
    found = []
    owners = {}
    for name in stored:
        value = namespace[name]
        if isinstance(value, _IMMUTABLE) or callable(value) or isinstance(value, (tuple, frozenset, type(sys))):
            continue
        other = owners.setdefault(id(value), name)
        if other != name:
            message = f"'{name}' and '{other}' are one object here; stored, they become two that change separately."
            found.append(_warning(name, message, f"Make a copy for '{name}' if they are meant to differ."))
    return found


def parted(sharing):
    """Warnings for values that hold one another and take too much room to be stored together."""
    found = []
    for group in {id(group): group for group in sharing.values() if group.is_too_large}.values():
        listed = ", ".join(f"'{name}'" for name in group.names)
        message = f"{listed} hold one another, and are too large to be stored together: stored, they change separately."
        found.append(_warning(group.names[0], message, "Read one of them in other cells, and get the rest from it."))
    return found


def committed(names):
    """Warnings for connections whose changes had not been committed."""
    reason = "cells below open the database anew, and would not have found them"
    return [_warning(name, f"What '{name}' had not committed was committed: {reason}.", "Call commit() in this cell.") for name in names]


def _warning(name, message, suggestion):
    return {"var_name": name, "message": message, "suggestion": suggestion}


class Room:
    """How much of a value may still be looked at."""

    def __init__(self):
        self.nodes = _MAX_NODES
        self.numbers = _MAX_NUMBERS

    def places(self, size):
        """Which of so many numbers to look at: all of a few, else both ends and some of what lies between."""
        wanted, whole = (_SAMPLE, _WHOLE) if self.numbers > 0 else (_SMALL_SAMPLE, 2 * _END)
        self.nodes -= 0 if self.numbers > 0 else _ARRAY_NODES
        self.numbers -= min(size, wanted)
        return _places(size, size if size <= whole else wanted)


@functools.lru_cache(maxsize=64)  # a model has many arrays of one size
def _places(size, wanted):
    import numpy

    if wanted == size:
        return numpy.arange(size)
    # Equal steps would meet the same columns of each row; multiples of the golden section fall everywhere.
    between = numpy.sort((numpy.arange(wanted) * _GOLDEN % 1 * size).astype("int64"))
    return numpy.concatenate([numpy.arange(_END), between, numpy.arange(size - _END, size)])


def _sample(value, room, seen):
    room.nodes -= 1
    if isinstance(value, _IMMUTABLE):
        return id(value) if isinstance(value, (type, types.ModuleType)) else value
    if room.nodes < 0 or id(value) in seen:
        return id(value)
    seen.add(id(value))
    package = type(value).__module__.partition(".")[0]
    if package in _SAMPLERS:
        return _SAMPLERS[package](value, room, seen)
    if isinstance(value, dict):
        return _entries(value, room, seen)
    if isinstance(value, (list, tuple)):
        return "list", len(value), [_sample(item, room, seen) for item in _ends(value)]
    if isinstance(value, (set, frozenset)):
        return "set", len(value), hash(frozenset(map(id, value)))
    if isinstance(value, bytearray):
        return bytes(value[:4096]), len(value)
    return _fields(value, room, seen)


def _fields(value, room, seen):
    fields = getattr(value, "__dict__", None)
    return id(value), None if fields is None else _entries(dict(fields), room, seen)


def _entries(value, room, seen):
    return "dict", len(value), [(_sample(k, room, seen), _sample(v, room, seen)) for k, v in _some(value.items())]


def _some(items):
    return list(itertools.islice(items, _MAX_NODES))


def _ends(items):
    return items if len(items) <= _MAX_NODES else [*items[: _MAX_NODES // 2], *items[-_MAX_NODES // 2 :]]


def _identity(value, room, seen):
    return id(value)


def _numpy(value, room, seen):
    if not hasattr(value, "reshape") or not hasattr(value, "dtype"):
        return id(value)
    array = sys.modules["numpy"].asarray(value)
    # `flat` counts the numbers of any layout, and copies none but those that are asked for.
    return array.shape, str(array.dtype), array.flat[room.places(array.size)].tobytes()


def _pandas(value, room, seen):
    if not hasattr(value, "iloc"):
        return id(value)
    labels = [str(column) for column in value.columns] if hasattr(value, "columns") else [str(value.name)]
    rows = value.shape[0]
    dtypes = list(value.dtypes) if hasattr(value, "columns") else [value.dtype]
    sampled = _numbers if all(_is_plain_number(dtype) for dtype in dtypes) else _hashed_rows
    return value.shape, labels, [sampled(part) for part in (value.iloc[:: max(1, rows // 256)], value.iloc[-5:])]


def _is_plain_number(dtype):
    return type(dtype).__module__.startswith("numpy") and dtype.kind in "iuf"


def _numbers(part):
    return part.to_numpy().tobytes()


def _hashed_rows(part):
    # By content: text and mixed columns make new objects of their values each time they are looked at.
    return sys.modules["pandas"].util.hash_pandas_object(part).to_numpy().tobytes()


def _torch(value, room, seen):
    torch = sys.modules["torch"]
    if hasattr(value, "named_parameters") and hasattr(value, "named_buffers"):
        # Not its other fields: `model.eval()` changes nothing that anybody would miss.
        return id(value), _sample(dict([*value.named_parameters(), *value.named_buffers()]), room, seen)
    if not hasattr(value, "detach"):
        return id(value)
    if str(value.layout) != "torch.strided":
        return id(value)
    try:
        content = _numbers_of_tensor(value.detach(), room, torch)
    except (RuntimeError, TypeError, NotImplementedError):
        content = id(value)  # numbers that cannot be picked one by one
    return tuple(value.shape), str(value.dtype), content


def _numbers_of_tensor(tensor, room, torch):
    places = room.places(tensor.numel())
    if tensor.device.type == "cpu":
        bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}.get(tensor.element_size(), tensor.dtype)
        return tensor.view(bits).numpy().flat[places].tobytes()
    # A model may have been moved: that changed none of its numbers.
    return torch.take(tensor, torch.from_numpy(places).to(tensor.device)).cpu().view(torch.uint8).numpy().tobytes()


def _picture(value, room, seen):
    if not hasattr(value, "tobytes") or not hasattr(value, "resize") or getattr(value, "im", None) is None:
        return id(value)  # not read from its file yet
    width, height = value.size
    whole = width * height <= _WHOLE_PICTURE
    return value.size, value.mode, hash((value if whole else value.resize((256, 256), 0)).tobytes())


_SAMPLERS = {
    "numpy": _numpy,
    "pandas": _pandas,
    "torch": _torch,
    "polars": _identity,
    "pyarrow": _identity,
    "PIL": _picture,
}
