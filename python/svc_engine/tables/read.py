"""Decodes one row group into a file that is a whole Arrow stream: schema, batches, end. The server sends its batches as
they lie there, so a row that reached the file is not touched again."""

import base64
import json
import os

import pyarrow
import pyarrow.compute
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet
from pyiceberg.conversions import from_bytes
from pyiceberg.io.pyarrow import _to_requested_schema
from pyiceberg.schema import Schema, prune_columns
from pyiceberg.types import ListType, MapType, NestedField

from svc_engine.tables.deletes import Kept, deleted_positions, equality_delete, kept_by_position
from svc_engine.tables.filters import matching, read_filters
from svc_engine.tables.fitting import fitted, plain
from svc_engine.tables.footers import FOOTERS, file_schema
from svc_engine.tables.metadata import arrow_schema, open_table, project
from svc_engine.tables.refusals import TableUnreadable, first_line, reading
from svc_engine.tables.slices import batches_of

BATCH_BYTES = 4 * 1024 * 1024
LEAST_ROWS = 1024
# What a row group of this size needed is given back at once.
LARGE_BYTES = 128 * 1024 * 1024
FILE_BUFFER = 64 * 1024


def prepare(_params):
    """Loads what reading needs; importing this module has done it."""


class Scan:
    """What the row groups of one scan have in common."""

    def __init__(self, params):
        self.table = open_table(params["metadataLocation"], params["io"])
        asked = None if params["snapshotId"] is None else int(params["snapshotId"])
        self.schema = self.table.schema(asked)
        self.fields = project(self.schema, params["columns"], params["identity"])
        self.filters = read_filters(self.schema, json.loads(params["filters"]))
        self.result = arrow_schema(self.fields)
        self.projection = None

    def projection_of(self, row_group, arrow):
        """Files of one table mostly look alike: the last projection is used again while they do."""
        if self.projection is None or not self.projection.fits(row_group, arrow):
            self.projection = Projection(row_group, arrow)
        return self.projection


_scans = Kept()


def scan_of(params):
    key = json.dumps([params[name] for name in ("metadataLocation", "io", "snapshotId", "columns", "filters")])
    return _scans.get(key, lambda: Scan(params))


def read(params):
    """Params: metadataLocation, io, snapshotId, columns, filters, identity, file, rowGroup, batchSize, target."""
    scan = scan_of(params)
    group = RowGroup(scan, params["file"], params["rowGroup"])
    batches = group.batches(params["batchSize"], os.path.dirname(params["target"]))
    written = write_batches(params["target"], scan.result, batches)
    if written["bytes"] > LARGE_BYTES:
        pyarrow.default_memory_pool().release_unused()
    return written


def narrow(params):
    """The same from a cached row group instead of its data file. Params: as for `read`, with source and sourceColumns."""
    scan = scan_of(params)
    held = project(scan.schema, params["sourceColumns"], params["identity"])
    places = {field.field_id: place for place, field in enumerate(held)}
    with pyarrow.memory_map(params["source"]) as source, ipc.open_stream(source) as stream:
        batches = (chosen(by_place(batch, places), scan.fields, scan.filters, None) for batch in stream)
        return write_batches(params["target"], scan.result, batches)


def way_to(path):
    """A file here is read as it is decoded; from a store, everything is asked for at once."""
    if "://" in path and not path.startswith("file:"):
        return {"pre_buffer": True}
    return {"pre_buffer": False, "buffer_size": FILE_BUFFER}


def by_place(batch, places):
    return {field_id: batch.column(place) for field_id, place in places.items()}


def write_batches(target, schema, batches):
    """Writes beside the target and renames: what lies under the name is whole."""
    unfinished = f"{target}.{os.getpid()}.part"
    rows = 0
    try:
        with pyarrow.OSFile(unfinished, "wb") as sink, ipc.new_stream(sink, schema) as writer:
            for columns in batches:
                batch = pyarrow.RecordBatch.from_arrays(
                    [fitted(column, field.type) for column, field in zip(columns, schema)], schema=schema
                )
                if batch.num_rows > 0:
                    writer.write_batch(batch)
                    rows += batch.num_rows
        size = os.stat(unfinished).st_size
        os.rename(unfinished, target)
    except BaseException:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        raise
    return {"rows": rows, "bytes": size}


def chosen(columns, fields, filters, mask):
    """The asked columns of the rows that mask and filters take."""
    wanted = matching(filters, columns)
    if mask is not None:
        wanted = mask if wanted is None else pyarrow.compute.and_kleene(mask, wanted)
    picked = [columns[field.field_id] for field in fields]
    return picked if wanted is None else [column.filter(wanted) for column in picked]


class RowGroup:
    def __init__(self, scan, file, group):
        self.scan = scan
        self.table = scan.table
        self.schema = scan.schema
        self.fields = scan.fields
        self.filters = scan.filters
        self.file = file
        self.group = group
        self.equality = [equality_delete(self.table, self.schema, one) for one in file["equality"]]
        self.positions = deleted_positions(self.table, file["positional"], file["path"])

    def needed(self):
        """Every field that is sent, filtered by or compared with deletes, once each; keys may be dropped columns."""
        needed = {field.field_id: field for field in [*self.fields, *(one.field for one in self.filters)]}
        for delete in self.equality:
            for field_id in delete.key_fields:
                needed.setdefault(field_id, None)
        return {
            field_id: field if field is not None else self.find_field(field_id) for field_id, field in needed.items()
        }

    def find_field(self, field_id):
        for schema in [self.schema, *self.table.metadata.schemas]:
            for field in schema.fields:
                if field.field_id == field_id:
                    # A file that lacks the key has null there, even where the column is required by now.
                    return NestedField(field_id, field.name, field.field_type, required=False)
        raise TableUnreadable(f"An equality delete names field {field_id}, which no schema of the table has.")

    def batches(self, batch_size, folder):
        path = self.file["path"]
        with reading(path):
            with self.table.io.new_input(path).open() as source:
                footer = FOOTERS.get(self.table.io, path, self.file["size"])
                reader = parquet.ParquetFile(source, metadata=footer, **way_to(path))
                projection = self.scan.projection_of(self, reader.schema_arrow)
                start = self.group["start"]
                for batch in projection.source_batches(reader, self.group, self.batch_rows(batch_size), folder):
                    columns = projection.columns(batch)
                    mask = self.surviving(columns, start, batch.num_rows)
                    start += batch.num_rows
                    yield chosen(columns, self.fields, self.filters, mask)

    def batch_rows(self, most):
        """Rows of wide tables come in smaller batches: a batch of every column is held in memory."""
        row_bytes = self.group["bytes"] / self.group["rows"]
        return most if row_bytes == 0 else min(most, max(LEAST_ROWS, int(BATCH_BYTES / row_bytes)))

    def surviving(self, columns, start, count):
        mask = None if self.positions is None else kept_by_position(self.positions, start, count)
        for delete in self.equality:
            gone = delete.hits([plain(columns[field_id]) for field_id in delete.key_fields])
            stays = pyarrow.compute.invert(gone)
            mask = stays if mask is None else pyarrow.compute.and_(mask, stays)
        return mask


class Projection:
    """From a file's columns to the table's, by field id."""

    def __init__(self, row_group, arrow):
        table = row_group.table
        needed = row_group.needed()
        own = file_schema(table, row_group.schema, arrow)
        held = {field.field_id for field in own.fields}
        self.constants = {
            field_id: constant(field, row_group.file["constants"][str(field_id)])
            for field_id, field in needed.items()
            if field_id not in held and str(field_id) in row_group.file["constants"]
        }
        self.fields = [field for field_id, field in needed.items() if field_id not in self.constants]
        self.requested = Schema(*self.fields)
        nested = {one for field in self.fields for one in Schema(field).field_ids}
        self.file_schema = prune_columns(own, leaf_ids(self.requested, nested) & own.field_ids, select_full_types=False)
        self.version = table.metadata.format_version
        self.arrow = arrow
        self.made_for = self.purpose(row_group)

    @staticmethod
    def purpose(row_group):
        return row_group.file["constants"], [one.key_fields for one in row_group.equality]

    def fits(self, row_group, arrow):
        return self.made_for == self.purpose(row_group) and self.arrow.equals(arrow, check_metadata=True)

    def source_batches(self, reader, group, batch_size, folder):
        names = [field.name for field in self.file_schema.fields]
        if names:
            yield from batches_of(reader, group["index"], names, batch_size, folder)
            return
        # No column of the file is needed: rows of nothing stand for it.
        for start in range(0, group["rows"], batch_size):
            count = min(batch_size, group["rows"] - start)
            yield empty_rows(count)

    def columns(self, batch):
        count = batch.num_rows
        columns = {field_id: pyarrow.repeat(value, count) for field_id, value in self.constants.items()}
        if not self.fields:
            return columns
        try:
            mapped = _to_requested_schema(
                self.requested,
                self.file_schema,
                undictionaried(batch),
                downcast_ns_timestamp_to_us=self.version <= 2,
                allow_timestamp_tz_mismatch=True,
            )
        except (ValueError, TypeError, pyarrow.ArrowException) as problem:
            raise TableUnreadable(f"A file does not fit the table's schema: {first_line(problem)}") from problem
        for field, column in zip(self.fields, mapped.columns):
            columns[field.field_id] = column
        return columns


def constant(field, encoded):
    """A partition's value for every row of its file."""
    kind = arrow_schema([field]).field(0).type
    value = from_bytes(field.field_type, base64.b64decode(encoded))
    storage = kind.storage_type if isinstance(kind, pyarrow.BaseExtensionType) else kind
    return pyarrow.scalar(value, storage)


def leaf_ids(schema, field_ids):
    """Lists and maps are taken through their elements."""
    return {one for one in field_ids if not isinstance(schema.find_type(one), (ListType, MapType))}


def empty_rows(count):
    """Rows without columns; a batch has to have one in order to have rows."""
    return pyarrow.record_batch([pyarrow.nulls(count)], names=[""])


def undictionaried(batch):
    """Files may say that a column was dictionary-encoded in memory; tables know no such type."""
    if not any(pyarrow.types.is_dictionary(field.type) for field in batch.schema):
        return batch
    columns = [
        column.dictionary_decode() if pyarrow.types.is_dictionary(column.type) else column for column in batch.columns
    ]
    return pyarrow.record_batch(columns, names=batch.schema.names)
