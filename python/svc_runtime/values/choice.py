"""Which encodings a value has, best first; how it is stored, previewed and read back. Only here all are known."""

import contextlib
import hashlib
import io
import json
import pathlib
import types

from svc_runtime.values import (
    arrow_arrays,
    arrow_scalars,
    arrow_tables,
    devices,
    exact_json,
    modules,
    pickles,
    preview,
    remade,
    rich,
    together,
    torch_links,
)
from svc_runtime.values.arrow_file import SHAPE, map_table
from svc_runtime.values.encoding import StorageFailed, TooLarge, file_stem, store

# Anything else is a value that cannot be written down, in whatever words its class says so.
_NOT_OF_THE_VALUE = (OSError, MemoryError, StorageFailed, TooLarge, pickles.NoCodec)
_PLAIN_TYPES = (int, float, str, bool, list, dict, tuple, set)


def store_variable(name, value, slices, folder, codec, most=None, otherwise=None, with_others=None, known=None):
    """`otherwise`: what to make of a value that cannot be written down, given the record that says why; `with_others`: see `sharing`;
    `known`: see `store`."""
    encodings = _variable_encodings(name, value, slices, codec, True, with_others)
    devices.forget()
    record = _or_error(value, lambda: store(encodings, folder, file_stem(name), most, known), otherwise)
    if "file" in record:
        devices.tell(name)
    return record


def sharing(made, kept, given, codec):
    """Which of the values that a cell made share parts with each other, or hold what it was given: names, values and specs. `kept`:
    names of those that may be stored."""
    files = [(name, value, spec["file"]) for name, value, spec in given if spec["content_type"] in _PICKLES]
    readers = {spec["file"]: _READERS.get(spec["content_type"]) for _, _, spec in given}

    def unchanged(value, file):
        """Nobody is told to read anew what holds more than the file: a sample of it does not do here."""
        with contextlib.suppress(Exception), together.anew(), torch_links.anew():
            if pickles.by_content(value, codec) == pickles.by_content(readers[file](file), codec):
                return pickles.dump_whole(value, codec)[1]
        return None

    try:
        return together.find(made, kept, files, lambda value: pickles.written(value, codec), unchanged)
    except Exception:  # of objects that do not let themselves be looked at
        return {}


def preview_variable(name, value, slices, codec):
    """The record of a variable that no other cell reads: nothing is written, and nothing large is looked through."""
    encodings = _variable_encodings(name, value, slices, codec, certain=False)
    return _or_error(value, lambda: next(encodings).record())


def store_display(value, stem, folder, codec):
    """A run whose result is not shown because the storage failed has no result: that ends the cell."""
    return _or_error(value, lambda: store(_display_encodings(value, codec), folder, stem), unless=StorageFailed)


def rehearse(value):
    """All that storing a display does, but for the file."""
    encoding = next(_display_encodings(value, "pickle"))
    encoding.write(io.BytesIO())
    return encoding.record(), hashlib.sha256(b"").hexdigest()


def read(name, spec):
    """The value of an input that has this name: `content_type`, `file`, and for a lent function the inputs that its module needs."""
    content_type, path = spec["content_type"], spec["file"]
    if content_type == "arrow/ipc":
        return _read_arrow(path)
    if content_type == "sweep/dict":
        return {variant: read(f"{name}.{variant}", inner) for variant, inner in spec["variants"].items()}
    if content_type == "module/cell":
        return modules.read_slice(path, {one: read(one, inner) for one, inner in spec.get("injected", {}).items()})
    if content_type == remade.CONTENT_TYPE:
        return remade.read(spec, read)
    reader = _READERS.get(content_type)
    if reader is None:
        raise TypeError(f"a value of type {content_type} cannot be read in Python")
    if content_type not in _OBJECTS:
        return reader(path)
    return together.once(name, path, reader)


# Of these a function of another cell works on the very object that the cell has under that name: each file is read once.
_PICKLES = ("pickle/object", "module/cell-instance")
_OBJECTS = ("json/object", *_PICKLES)
_READERS = {
    "json/object": exact_json.read,
    "pickle/object": pickles.read,
    "file/path": pathlib.Path,
    "json/inline": json.loads,
    "module/import": modules.read_import,
    "module/cell-instance": modules.read_instance,
}


def _read_arrow(path):
    mapped = map_table(path)
    shape = mapped.tags.get(SHAPE, b"table")
    reader = {b"tensor": arrow_arrays, b"scalar": arrow_scalars}.get(shape, arrow_tables)
    return reader.from_mapped(mapped)


def _variable_encodings(name, value, slices, codec, certain, with_others=None):
    if name in slices:
        yield from modules.slice_encodings(name, slices[name])
        return
    if isinstance(value, io.IOBase) and not isinstance(value, (io.BytesIO, io.StringIO)):
        raise TypeError("an open file belongs to its process")  # cloudpickle would keep what it holds now
    yield from _arrow_encodings(value, certain)
    yield from exact_json.encodings(value, certain)
    if with_others is not None:
        yield from pickles.encodings_together(name, with_others, codec)
    yield from _object_encodings(value, codec)
    if type(value) not in _PLAIN_TYPES:
        yield from _lenient(arrow_tables.stream_encodings, value, certain)


def shown_record(value, record):
    """The record of a stored variable as that of a display."""
    return {**record, **_words_of(value, record)}


def _words_of(value, record):
    """Shown, an array says its numbers too, and not its shape alone; single values and short lists are written as Python writes them."""
    if record["content_type"] == "json/object" and type(value) in (list, dict, bool) and "preview_truncated" not in record:
        text = repr(value)
        return {"text": text} if len(text) <= preview.LINE else {}
    number = arrow_scalars.number_in(value)
    if number is not None and "preview_truncated" not in record and not preview.is_written_alike(number):
        return {"text": str(value)}
    if record["content_type"] != "arrow/ipc":
        return {}
    if str(record.get("preview")).startswith(f"{type(value).__name__} shape="):
        return {"text": preview.of_array(value)}
    if arrow_scalars.is_short_float(value):
        return {"text": str(value)}
    return {"text": preview.of_text(repr(value))} if arrow_scalars.is_written_otherwise(value) else {}


def _display_encodings(value, codec):
    yield from _lenient(rich.formula_encodings, value)
    for encoding in _arrow_encodings(value, certain=True, is_shown=True):
        encoding.facts.update(_words_of(value, encoding.record()))
        yield encoding
    yield from _lenient(rich.documented_encodings, value)
    for encoding in exact_json.encodings(value, certain=True):
        encoding.facts.update(_words_of(value, encoding.record()))
        yield encoding
    yield from _lenient(rich.further_encodings, value)
    yield from _object_encodings(value, codec, text=preview.of_shown(value))
    yield rich.encoding("text/plain", preview.of_shown(value).encode("utf-8", "replace"))


def _arrow_encodings(value, certain, is_shown=False):
    # A plain value, by far the most common kind, is no table: do not even ask whether pyarrow is there.
    if type(value) in _PLAIN_TYPES:
        return
    yield from _lenient(arrow_tables.encodings, value, certain, is_shown)
    yield from _lenient(arrow_arrays.encodings, value)
    yield from _lenient(arrow_scalars.encodings, value)


def _object_encodings(value, codec, **facts):
    if isinstance(value, types.ModuleType):
        yield from modules.import_encodings(value)
    yield from modules.instance_encodings(value, codec, **facts)
    yield from pickles.encodings(value, codec, **facts)


def _lenient(source, *arguments):
    """The encodings that `source` finds; one that fails even to look at the value is passed over."""
    try:
        yield from source(*arguments)
    except Exception:
        return


def _or_error(value, act, otherwise=None, unless=()):
    try:
        return act()
    except unless:
        raise
    except Exception as problem:
        message = str(problem) or type(problem).__name__
        record = {"content_type": "error", "error": preview.of_text(message), "type": type(value).__name__}
        return otherwise(record) if otherwise is not None and not isinstance(problem, _NOT_OF_THE_VALUE) else record
