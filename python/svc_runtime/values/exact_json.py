"""`json/object`: what JSON gives back exactly as it was; not tuples, subclasses, or keys that are no text."""

import json

from svc_runtime.values import preview
from svc_runtime.values.encoding import Encoding

_SCALARS = (str, int, float, bool, type(None))
# Larger documents are written without indentation, by the fast encoder.
_INDENTED_NODES = 1000
_MAX_DEPTH = 200


def encodings(value, certain):
    """`certain`: look at everything, because it will be stored; otherwise a look at the beginning decides."""
    nodes = _count(value, None if certain else 2000)
    if nodes is None:
        return
    shown, facts = preview.of_json(value)

    def write(stream):
        indent = 2 if nodes <= _INDENTED_NODES else None
        stream.write(json.dumps(value, indent=indent).encode("ascii"))

    yield Encoding("json/object", ".json", write, shown, **facts)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _count(value, limit):
    """How many values there are in all, or None when one of them would not come back as it was."""
    if type(value) in _SCALARS:
        return 1
    count = 0
    level = [value]
    for _ in range(_MAX_DEPTH):
        below = []
        for item in level:
            kind = type(item)
            if kind is dict:
                if any(type(key) is not str for key in item):
                    return None
                below.extend(item.values())
            elif kind is list:
                below.extend(item)
            elif kind not in _SCALARS:
                return None
            count += 1
            if limit is not None and count > limit:
                return count
        if not below:
            return count
        level = below
    return None  # a cycle, or as good as one
