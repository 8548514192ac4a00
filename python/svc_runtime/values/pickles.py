"""`pickle/object`: everything else. The bytes say which codec made them; cloudpickle also takes what a cell defined.

Without large buffers the file is one pickle, an envelope with the value's pickle in it. With them it is the envelope,
the pickle and the buffers: see `out_of_band`.
"""

import importlib
import io
import pickle

from svc_runtime.values import cell_code, out_of_band, picklers, preview
from svc_runtime.values.encoding import Encoding

_FORMAT = "svc.pickle.v1"
_FORMAT_WITH_BUFFERS = "svc.pickle.v2"
_PROTOCOL = 5


def encodings(value, codec, **facts):
    def write(stream):
        used, payload, views = dump(value, codec, stream)
        if views:
            out_of_band.write(stream, {"format": _FORMAT_WITH_BUFFERS, "codec": used}, payload, views)
        else:
            pickle.dump({"format": _FORMAT, "codec": used, "payload": payload}, stream, _PROTOCOL)

    shown = preview.of_object(value)
    yield Encoding("pickle/object", ".pickle", write, shown, codec=codec, type=type(value).__name__, **facts)


def read(path):
    with open(path, "rb") as file:
        envelope = pickle.load(file)
        format_ = envelope.get("format") if isinstance(envelope, dict) else None
        if format_ == _FORMAT:
            return pickle.loads(envelope["payload"])
        if format_ == _FORMAT_WITH_BUFFERS:
            payload, buffers = out_of_band.read(file, envelope)
            return pickle.loads(payload, buffers=buffers)
    raise ValueError("this is no pickled value of ours")


def dump(value, codec, stream=None):
    """(the codec that was used, the pickle, the buffers that belong behind it). `stream` knows how much may be written."""
    used, base = _codec(codec)
    buffers = out_of_band.Buffers(stream)
    return used, _pickled(value, base, used == codec, buffer_callback=buffers), buffers.views


def dump_whole(value, codec):
    """(the codec that was used, the pickle with all its buffers in it)."""
    used, base = _codec(codec)
    return used, _pickled(value, base, used == codec)


def _pickled(value, base, is_wanted_codec, **options):
    file = io.BytesIO()
    try:
        picklers.of(base)(file, _PROTOCOL, **options).dump(value)
    except Exception as problem:
        if is_wanted_codec:
            raise
        raise ValueError(
            f"storing this value needs cloudpickle; add it to the environment that the cell runs in ({problem})"
        ) from problem
    return file.getvalue()


def _codec(codec):
    if codec == "pickle":
        return codec, pickle.Pickler
    if codec != "cloudpickle":
        raise ValueError(f"there is no object codec {codec!r}: use cloudpickle or pickle")
    try:
        cloudpickle = importlib.import_module("cloudpickle")
    except ImportError:
        # Without the package, plain pickle does for everything that does not come from a cell itself.
        return "pickle", pickle.Pickler
    while cell_code.by_value:
        cloudpickle.register_pickle_by_value(cell_code.by_value.pop())
    return codec, cloudpickle.Pickler
