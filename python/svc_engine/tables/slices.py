"""Batches of a row group. A reader holds a page and a dictionary of every column that it decodes, which is nothing for
eight columns and a gigabyte for hundreds: those are decoded some columns at a time, kept in files and put together."""

import tempfile
from contextlib import ExitStack

import pyarrow
import pyarrow.ipc as ipc

# What pages may take while a row group is decoded.
PAGE_BYTES = 96 * 1024 * 1024
# The most that a column holds, packed and unpacked: writers end pages and dictionaries at a mebibyte.
COLUMN_BYTES = 3 * 1024 * 1024


def batches_of(reader, group, names, batch_size, folder):
    """As `iter_batches` of one row group gives them; `folder` is where files may lie that nobody else sees."""
    slices = slices_of(reader.metadata.row_group(group), names)
    if len(slices) == 1:
        yield from reader.iter_batches(batch_size, row_groups=[group], columns=names)
        return
    with ExitStack() as files:
        kept = [files.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in slices]
        for columns, file in zip(slices, kept):
            # Narrower rows: more of them are as large.
            keep(reader.iter_batches(batch_size * len(slices), row_groups=[group], columns=columns), file)
            pyarrow.default_memory_pool().release_unused()
        yield from woven([ipc.open_stream(file) for file in kept], batch_size)


def slices_of(row_group, names):
    """The names in their order, cut where the pages of what came before are enough."""
    held = {}
    for index in range(row_group.num_columns):
        column = row_group.column(index)
        name = column.path_in_schema.split(".")[0]
        held[name] = held.get(name, 0) + min(2 * column.total_uncompressed_size, COLUMN_BYTES)
    slices, size = [[]], 0
    for name in names:
        if slices[-1] and size + held.get(name, 0) > PAGE_BYTES:
            slices.append([])
            size = 0
        slices[-1].append(name)
        size += held.get(name, 0)
    return slices


def keep(batches, file):
    writer = None
    for batch in batches:
        writer = writer or ipc.new_stream(file, batch.schema)
        writer.write_batch(batch)
    writer.close()
    file.seek(0)


def woven(streams, most):
    """Side by side, at most so many rows at a time; where one stream ends a batch, all of them do."""
    schema = pyarrow.schema([field for stream in streams for field in stream.schema])
    waiting = [None] * len(streams)
    while True:
        for place, stream in enumerate(streams):
            if waiting[place] is None or waiting[place].num_rows == 0:
                waiting[place] = next(stream, None)
        if any(batch is None for batch in waiting):
            return
        rows = min(most, *(batch.num_rows for batch in waiting))
        columns = [column for batch in waiting for column in batch.slice(0, rows).columns]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)
        waiting = [batch.slice(rows) for batch in waiting]
