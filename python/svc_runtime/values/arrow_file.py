"""Arrow IPC streams on disk, and the metadata keys by which a table, an array and a single value are told apart."""

import importlib
import mmap

SHAPE = b"svc.arrow.shape"
SOURCE = b"svc.arrow.source"
# Nothing but its length matters: it moves what follows it.
PADDING = b"svc.arrow.padding"
ALIGNMENT = 64
_END_BYTES = 8
# Aligning takes a tenth of a millisecond: not for less than this.
_ALIGNED_BYTES = 16 * 1024


def arrow():
    """pyarrow, or None when the notebook's environment does not have it."""
    try:
        pa = importlib.import_module("pyarrow")
        importlib.import_module("pyarrow.ipc")
        return pa
    except ImportError:
        return None


def tagged(table, shape, tags):
    return table.replace_schema_metadata({**(table.schema.metadata or {}), SHAPE: shape.encode(), **tags})


def write_table(table, stream):
    pa = arrow()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)


def write_aligned(table, stream):
    """Like `write_table`, for one column of numbers: where they are many, they begin at a multiple of 64 in the file.

    Arrow itself aligns to 8. From there processors read vectors faster, and some libraries only then without a copy.
    """
    size = table.column(0).chunk(0).buffers()[-1].size
    if size < _ALIGNED_BYTES:
        write_table(table, stream)
        return
    metadata = table.schema.metadata or {}
    table = table.replace_schema_metadata({**metadata, PADDING: b""})
    counted = arrow().MockOutputStream()
    write_table(table, counted)
    begins = counted.size() - _END_BYTES - (size + 7) // 8 * 8
    write_table(table.replace_schema_metadata({**metadata, PADDING: b" " * (-begins % ALIGNMENT)}), stream)


def map_table(path):
    if arrow() is None:
        raise ImportError("reading this value needs pyarrow; add it to the environment that the cell runs in")
    with open(path, "rb") as file:
        return MappedTable(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))


class MappedTable:
    """A table whose columns lie in a private mapping of its file: writing to them changes this process alone."""

    def __init__(self, memory):
        pa = arrow()
        self.memory = memory
        buffer = pa.py_buffer(memory)
        self.address = buffer.address
        # Nothing is decoded here: threads would only have to be started first.
        options = pa.ipc.IpcReadOptions(use_threads=False)
        table = pa.ipc.open_stream(pa.BufferReader(buffer), options=options).read_all()
        metadata = table.schema.metadata or {}
        self.tags = {key: value for key, value in metadata.items() if key.startswith(b"svc.arrow.")}
        rest = {key: value for key, value in metadata.items() if key not in self.tags}
        self.table = table.replace_schema_metadata(rest or None)

    def numbers(self, array, dtype):
        """The numbers of an arrow array without nulls, as a numpy array where they lie in the mapping.

        Arrow would hand out the same memory read-only, and a cell may write to its inputs.
        """
        import numpy

        offset = array.buffers()[1].address - self.address + array.offset * dtype.itemsize
        return numpy.frombuffer(self.memory, dtype=dtype, count=len(array), offset=offset)
