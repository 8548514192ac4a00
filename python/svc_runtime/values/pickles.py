"""`pickle/object`: everything else. The bytes say which codec made them; cloudpickle also takes what a cell defined."""

import importlib
import pickle

from svc_runtime.values import preview
from svc_runtime.values.encoding import Encoding

_FORMAT = "svc.pickle.v1"
_PROTOCOL = 5
# Modules that no other process can import: a function of theirs inside a list has to travel whole.
by_value = []


def encodings(value, codec, **facts):
    def write(stream):
        pickle.dump({"format": _FORMAT, **dump(value, codec)}, stream, _PROTOCOL)

    shown = preview.of_object(value)
    yield Encoding("pickle/object", ".pickle", write, shown, codec=codec, type=type(value).__name__, **facts)


def read(path):
    with open(path, "rb") as file:
        envelope = pickle.load(file)
    if not isinstance(envelope, dict) or envelope.get("format") != _FORMAT:
        raise ValueError("this is no pickled value of ours")
    return load(envelope)


def dump(value, codec):
    if codec == "pickle":
        return {"codec": codec, "payload": pickle.dumps(value, _PROTOCOL)}
    if codec != "cloudpickle":
        raise ValueError(f"there is no object codec {codec!r}: use cloudpickle or pickle")
    try:
        cloudpickle = importlib.import_module("cloudpickle")
    except ImportError:
        # Without the package, plain pickle does for everything that does not come from a cell itself.
        return {"codec": "pickle", "payload": _plainly(value)}
    while by_value:
        cloudpickle.register_pickle_by_value(by_value.pop())
    return {"codec": codec, "payload": cloudpickle.dumps(value, _PROTOCOL)}


def _plainly(value):
    try:
        return pickle.dumps(value, _PROTOCOL)
    except Exception as problem:
        raise ValueError(
            f"storing this value needs cloudpickle; add it to the environment that the cell runs in ({problem})"
        ) from problem


def load(dumped):
    return pickle.loads(dumped["payload"])
