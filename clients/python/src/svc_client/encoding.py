"""Values as Arrow streams and back. A document that is no table travels as one cell of JSON, and says so."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc

_DOCUMENT = b"svc.json.blob"


def to_stream(data: Any) -> bytes:
    """The bytes of an Arrow stream: of a table, a frame, equally long columns or any JSON document."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    table = _to_table(data)
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def from_stream(body: bytes) -> pa.Table:
    """Without copying: the table's buffers are the body."""
    if not body:
        return pa.table({})
    return ipc.open_stream(pa.py_buffer(body)).read_all()


def document_of(table: pa.Table) -> Any:
    marker = (table.schema.metadata or {}).get(_DOCUMENT)
    is_document = marker == b"1" if marker is not None else table.column_names == ["data"] and table.num_rows == 1
    return json.loads(table.column("data")[0].as_py()) if is_document else table.to_pydict()


def _to_table(data: Any) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, dict) and _is_columnar(data):
        return pa.table(data).replace_schema_metadata({_DOCUMENT: b"0"})
    if hasattr(data, "__arrow_c_stream__"):  # polars, pandas 2.2 and everybody else who speaks Arrow
        return pa.table(data)
    if hasattr(data, "to_arrow"):
        return data.to_arrow()
    if type(data).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(data)
    return pa.table({"data": [json.dumps(data)]}).replace_schema_metadata({_DOCUMENT: b"1"})


def _is_columnar(data: dict[Any, Any]) -> bool:
    columns = list(data.values())
    return bool(columns) and all(isinstance(one, list) for one in columns) and len({len(one) for one in columns}) == 1
