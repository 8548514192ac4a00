"""`duckdb_sql@v1`: one query over Arrow streams that are mapped, not loaded, into an Arrow stream.

The query sees its inputs and nothing else: no files, no network, no extensions, no variables of this process, and it cannot
switch any of that on again. What does not fit into its memory is spilled to a folder of its own.
"""

import hashlib
import os
import shutil
import tempfile

import duckdb
import pyarrow
import pyarrow.ipc as ipc

from svc_engine.tables.refusals import ScanInvalid

ROWS = 65_536
LOCKS = (
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


class OutputTooLarge(ValueError):
    pass


def run_sql(params):
    """Params: sql, inputs (files), target, spill (folder), memoryBytes, maxBytes."""
    spill = tempfile.mkdtemp(dir=params["spill"])
    try:
        with connect(params, spill) as connection:
            return write(connection.execute(params["sql"]).to_arrow_reader(ROWS), params["target"], params["maxBytes"])
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def connect(params, spill):
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": f"{params['memoryBytes']}B",
            "temp_directory": spill,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )
    for place, file in enumerate(params["inputs"]):
        connection.register(f"input{place}", mapped(file))
    for statement in LOCKS:
        connection.execute(statement)
    return connection


def mapped(file):
    try:
        return ipc.open_stream(pyarrow.memory_map(file)).read_all()
    except pyarrow.ArrowInvalid as problem:
        raise ScanInvalid(f"An input is no Arrow table: {problem}") from problem


class Digest:
    """A file that knows its size and sum, and when it is enough."""

    def __init__(self, file, limit):
        self.file = file
        self.limit = limit
        self.size = 0
        self.sha256 = hashlib.sha256()
        self.closed = False

    def write(self, data):
        self.size += len(data)
        if self.size > self.limit:
            raise OutputTooLarge(f"The result is larger than {self.limit} bytes; choose fewer rows or columns.")
        self.sha256.update(data)
        return self.file.write(data)

    def flush(self):
        self.file.flush()

    def close(self):
        self.closed = True


def write(reader, target, limit):
    rows = 0
    try:
        with open(target, "xb") as file:
            sink = Digest(file, limit)
            with ipc.new_stream(sink, reader.schema) as writer:
                for batch in reader:
                    writer.write_batch(batch)
                    rows += batch.num_rows
    except BaseException:
        if os.path.exists(target):
            os.unlink(target)
        raise
    text = reader.schema.to_string(show_field_metadata=False, show_schema_metadata=False)
    return {"rows": rows, "byteSize": sink.size, "sha256": sink.sha256.hexdigest(), "schemaText": text}
