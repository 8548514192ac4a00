"""`pickle/object`: everything else. The bytes say which codec made them; cloudpickle also takes what a cell defined.

Without large buffers the file is one pickle, an envelope with the value's pickle in it. With them it is the envelope,
the pickle and the buffers: see `out_of_band`.
"""

import importlib
import io
import pickle
import sys

from svc_runtime.values import cell_code, out_of_band, picklers, preview, together
from svc_runtime.values.encoding import Encoding

_FORMAT = "svc.pickle.v1"
_FORMAT_WITH_BUFFERS = "svc.pickle.v2"
_PROTOCOL = 5
_TRIED_BYTES = 256 * 1024
_HELD_BYTES = 8 * 1024 * 1024
_holding = []
# Of these it is known, or reading them does something of its own.
_READABLE = set(
    "numpy pandas polars pyarrow scipy sklearn statsmodels xgboost lightgbm catboost torch tensorflow keras jax transformers networkx "
    "sympy matplotlib seaborn bokeh plotly altair PIL __main__".split()
)


class NoCodec(ValueError):
    """What would write the value is not there."""


def encodings(value, codec, **facts):
    def write(stream):
        used, payload, views = dump(value, codec, stream)
        _try_to_read(value, payload, views)
        _write(stream, {}, used, payload, views)

    shown = preview.of_object(value)
    yield Encoding("pickle/object", ".pickle", write, shown, codec=codec, type=type(value).__name__, **facts)


def encodings_together(name, all_, codec):
    """Of a value that shares parts with others."""
    value = all_.values[name]

    def write(stream):
        used, payload, views = all_.dump(lambda values, pickler: dump(values, codec, stream, pickler))
        _try_to_read(value, payload, views)
        _write(stream, all_.facts(name, payload, views), used, payload, views)

    shown = preview.of_object(value)
    yield Encoding("pickle/object", ".pickle", write, shown, codec=codec, type=type(value).__name__)


def _write(stream, facts, used, payload, views):
    if views:
        out_of_band.write(stream, {"format": _FORMAT_WITH_BUFFERS, "codec": used, **facts}, payload, views)
    else:
        pickle.dump({"format": _FORMAT, "codec": used, **facts, "payload": payload}, stream, _PROTOCOL)


def read(path):
    with open(path, "rb") as file:
        envelope = pickle.load(file)
        format_ = envelope.get("format") if isinstance(envelope, dict) else None
        if format_ == _FORMAT:
            payload, buffers = envelope["payload"], None
        elif format_ == _FORMAT_WITH_BUFFERS:
            payload, buffers = out_of_band.read(file, envelope)
        else:
            raise ValueError("this is no pickled value of ours")
    if "together" not in envelope:
        return _loaded(payload, buffers)
    return together.read(envelope, lambda part_of: _Unpickler(io.BytesIO(payload), part_of, buffers).load())


def _loaded(payload, buffers):
    """A library may hold parts of a value weakly, which in Jupyter a variable of another cell keeps alive: here nothing else would."""
    if buffers or len(payload) > _HELD_BYTES:
        return pickle.loads(payload, buffers=buffers)
    unpickler = _Unpickler(io.BytesIO(payload), lambda mark: None, None)
    value = unpickler.load()
    package = str(type(value).__module__).partition(".")[0]
    if package not in sys.stdlib_module_names and package not in _READABLE and not cell_code.is_of_cell(type(value)):
        _holding.append(unpickler)  # its memory has all that it made
    return value


def _try_to_read(value, payload, views):
    """Some libraries have objects that can be written and never be read: whoever makes one is told, not whoever needs it."""
    package = str(type(value).__module__).partition(".")[0]
    if len(payload) > _TRIED_BYTES or views or package in sys.stdlib_module_names or package in _READABLE or package not in sys.modules:
        return
    try:
        _Unpickler(io.BytesIO(payload), lambda mark: None, None).load()
    except Exception as problem:
        raise TypeError(f"it can be written down, but not be read again ({problem})") from problem


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, part_of, buffers):
        super().__init__(file, buffers=buffers)
        self._part_of = part_of

    def persistent_load(self, mark):
        return self._part_of(mark)


def written(value, codec):
    """All that a pickle of the value holds, by id; nothing when it cannot be made."""
    used, base = _codec(codec)
    try:
        pickler = picklers.of(base)(io.BytesIO(), _PROTOCOL, buffer_callback=lambda buffer: False)
        pickler.dump(value)
        return {id(part): part for _, part in pickler.memo.copy().values()}
    except Exception:
        return {}


def dump(value, codec, stream=None, wrap=lambda pickler: pickler):
    """(the codec that was used, the pickle, the buffers that belong behind it). `stream` knows how much may be written."""
    used, base = _codec(codec)
    buffers = out_of_band.Buffers(stream)
    return used, _pickled(value, base, used == codec, wrap, buffer_callback=buffers), buffers.views


def dump_whole(value, codec):
    """(the codec that was used, the pickle with all its buffers in it)."""
    used, base = _codec(codec)
    return used, _pickled(value, base, used == codec, lambda pickler: pickler)


def by_content(value, codec):
    """A pickle that is the same for values that are alike: which of their texts are one object is up to whoever read them."""
    used, base = _codec(codec)

    def wrap(pickler):
        class ByContent(pickler):
            def persistent_id(self, value):
                return f"{value}." if type(value) is str else None

        return ByContent

    return _pickled(value, base, used == codec, wrap)


def _pickled(value, base, is_wanted_codec, wrap, **options):
    file = io.BytesIO()
    try:
        wrap(picklers.of(base))(file, _PROTOCOL, **options).dump(value)
    except Exception as problem:
        if is_wanted_codec:
            raise
        raise NoCodec(
            f"storing this value needs cloudpickle; add it to the environment that the cell runs in ({problem})"
        ) from problem
    return file.getvalue()


def _codec(codec):
    if codec == "pickle":
        return codec, pickle.Pickler
    if codec != "cloudpickle":
        raise NoCodec(f"there is no object codec {codec!r}: use cloudpickle or pickle")
    try:
        cloudpickle = importlib.import_module("cloudpickle")
    except ImportError:
        # Without the package, plain pickle does for everything that does not come from a cell itself.
        return "pickle", pickle.Pickler
    while cell_code.by_value:
        cloudpickle.register_pickle_by_value(cell_code.by_value.pop())
    return codec, cloudpickle.Pickler
