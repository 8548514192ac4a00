"""Tables for an R that has no arrow: an Arrow stream as a folder of text files, one a column, and back. See r/frames.R."""

import datetime
import json
import os
import stat

from svc_engine.browsing.shown import python_values
from svc_engine.data import require

_MISSING = "\\N"
_INT32 = (-(2**31) + 1, 2**31 - 1)


def frame_to_text(params):
    arrow = require("pyarrow")
    with arrow.memory_map(params["file"]) as source:
        table = require("pyarrow.ipc").open_stream(source).read_all()
    os.makedirs(params["folder"])
    columns = []
    for at, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        kind, lines, more = _column_text(arrow, column)
        columns.append({"name": name, "type": kind, **more})
        with open(os.path.join(params["folder"], f"c{at}.txt"), "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    with open(os.path.join(params["folder"], "frame.json"), "w", encoding="utf-8") as file:
        json.dump({"rows": table.num_rows, "columns": columns}, file)
    return {"rows": table.num_rows}


def _column_text(arrow, column):
    kind, types = column.type, arrow.types
    if types.is_dictionary(kind):
        return "factor", _lines(column.cast(arrow.string()).to_pylist(), _escape), {}
    if types.is_boolean(kind):
        return "logical", _lines(column.to_pylist(), lambda value: "1" if value else "0"), {}
    if types.is_integer(kind):
        values = column.to_pylist()
        if all(value is None or _INT32[0] <= value <= _INT32[1] for value in values):
            return "integer", _lines(values, str), {}
        return "double", _lines(values, lambda value: float(value).hex()), {}
    if types.is_floating(kind) or types.is_decimal(kind):
        return "double", _lines(column.to_pylist(), lambda value: float(value).hex()), {}
    if types.is_date(kind):
        epoch = datetime.date(1970, 1, 1)
        return "date", _lines(column.cast(arrow.date32()).to_pylist(), lambda day: float((day - epoch).days).hex()), {}
    if types.is_timestamp(kind):
        # R counts seconds in a double, which does not hold a nanosecond of today.
        ticks = column.cast(arrow.timestamp("us", kind.tz), safe=False).cast(arrow.int64()).to_pylist()
        return "datetime", _lines(ticks, lambda tick: (tick / 1e6).hex()), {"tz": kind.tz or "UTC"}
    if types.is_string(kind) or types.is_large_string(kind):
        return "string", _lines(column.to_pylist(), _escape), {}
    return "string", _lines(python_values(column), lambda value: _escape(json.dumps(value, default=str))), {}


def _lines(values, write):
    return (_MISSING if value is None else write(value) for value in values)


def _escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def frame_from_text(params):
    arrow = require("pyarrow")
    names, arrays = [], []
    folder = os.open(params["folder"], os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with _open_plain(folder, "frame.json") as file:
            about = json.load(file)
        for at, column in enumerate(about["columns"]):
            with _open_plain(folder, f"c{at}.txt") as file:
                lines = [line[:-1] for line in file]
            names.append(column["name"])
            arrays.append(_column_array(arrow, column, lines))
    finally:
        os.close(folder)
    table = arrow.table(arrays, names=names)
    with _replace(params["file"]) as sink, require("pyarrow.ipc").new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return {"rows": table.num_rows}


def _open_plain(folder, name):
    """A cell can reach these files too: a link would be read with our rights, and a pipe would keep us waiting."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError(f"{name} is not the file that R wrote")
    return open(descriptor, encoding="utf-8", newline="\n")


def _replace(file):
    if os.path.lexists(file):
        os.unlink(file)
    return open(file, "xb")


def _column_array(arrow, column, lines):
    def read(convert):
        return [None if line == _MISSING else convert(line) for line in lines]

    match column["type"]:
        case "logical":
            return arrow.array(read(lambda line: line == "1"), arrow.bool_())
        case "integer":
            return arrow.array(read(int), arrow.int32())
        case "double":
            return arrow.array(read(float.fromhex), arrow.float64(), from_pandas=False)
        case "date":
            return arrow.array(read(lambda line: int(float.fromhex(line))), arrow.int32()).cast(arrow.date32())
        case "datetime":
            ticks = read(lambda line: round(float.fromhex(line) * 1e6))
            return arrow.array(ticks, arrow.int64()).cast(arrow.timestamp("us", column.get("tz") or "UTC"))
        case "factor":
            return arrow.array(read(_unescape), arrow.string()).dictionary_encode()
        case _:
            return arrow.array(read(_unescape), arrow.string())


def _unescape(text):
    if "\\" not in text:
        return text
    return text.replace("\\\\", "\0").replace("\\n", "\n").replace("\\r", "\r").replace("\0", "\\")
