"""Notices inputs that a cell changed in place. Other cells go on seeing the value that was stored, so the change would
be lost without a word. A sample of the content decides; this is advice and never fails a cell.
"""

import itertools
import sys

_IMMUTABLE = (int, float, complex, str, bytes, bool, type(None), range, type)
_MAX_NODES = 2000
_SAMPLE = 16


def fingerprint(value):
    """Something that is equal before and after as long as the value has not changed, as far as a sample can tell."""
    if isinstance(value, _IMMUTABLE):
        return None
    try:
        return _sample(value, [_MAX_NODES], set())
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


def _warning(name, message, suggestion):
    return {"var_name": name, "message": message, "suggestion": suggestion}


def _sample(value, nodes, seen):
    nodes[0] -= 1
    if isinstance(value, _IMMUTABLE):
        return value if not isinstance(value, type) else id(value)
    if nodes[0] < 0 or id(value) in seen:
        return id(value)
    seen.add(id(value))
    package = type(value).__module__.partition(".")[0]
    if package in _SAMPLERS:
        return _SAMPLERS[package](value)
    if isinstance(value, dict):
        return "dict", len(value), [(_sample(k, nodes, seen), _sample(v, nodes, seen)) for k, v in _some(value.items())]
    if isinstance(value, (list, tuple)):
        return "list", len(value), [_sample(item, nodes, seen) for item in _ends(value)]
    if isinstance(value, (set, frozenset)):
        return "set", len(value), hash(frozenset(map(id, value)))
    if isinstance(value, bytearray):
        return bytes(value[:4096]), len(value)
    fields = getattr(value, "__dict__", None)
    return id(value), None if fields is None else _sample(dict(fields), nodes, seen)


def _some(items):
    return list(itertools.islice(items, _MAX_NODES))


def _ends(items):
    return items if len(items) <= _MAX_NODES else [*items[: _MAX_NODES // 2], *items[-_MAX_NODES // 2 :]]


def _numpy(value):
    if not hasattr(value, "reshape") or not hasattr(value, "dtype"):
        return id(value)
    flat = value.reshape(-1) if value.flags.c_contiguous else value[:_SAMPLE]
    step = max(1, flat.shape[0] // 4096) if flat.ndim else 1
    return value.shape, str(value.dtype), flat[::step].tobytes() if flat.ndim else flat.tobytes(), flat[-5:].tobytes()


def _pandas(value):
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


def _torch(value):
    if not hasattr(value, "detach"):
        return id(value)
    flat = value.detach().reshape(-1)
    return tuple(value.shape), str(value.dtype), flat[:: max(1, flat.shape[0] // 1024)].cpu().tolist()


_SAMPLERS = {"numpy": _numpy, "pandas": _pandas, "torch": _torch, "polars": id, "pyarrow": id, "PIL": id}
