"""Adds delete files to a table, as engines do that pyiceberg itself is not: it reads positional deletes but writes none."""

import json
import struct
import uuid
import zlib

import pyarrow.parquet as parquet
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, AssertRefSnapshotId, SetSnapshotRefUpdate
from pyiceberg.typedef import Record
from pyroaring import BitMap

import pyarrow

CODEC = "null"
PUFFIN = b"PFA1"


class DeleteManifestWriter(ManifestWriterV2):
    def content(self):
        return ManifestContent.DELETES

    @property
    def _meta(self):
        return {**super()._meta, "content": "deletes"}


def positional_schema():
    """The two columns of positional deletes, under the ids that the format reserves for them."""
    identified = lambda name, kind, number: pyarrow.field(name, kind, False, {b"PARQUET:field_id": str(number).encode()})
    return pyarrow.schema(
        [identified("file_path", pyarrow.string(), 2147483546), identified("pos", pyarrow.int64(), 2147483545)]
    )


def delete_positions(catalog, table, positions):
    """`positions`: pairs of data file and row."""
    paths, rows = zip(*sorted(positions))
    rows = pyarrow.table([pyarrow.array(paths), pyarrow.array(rows, pyarrow.int64())], schema=positional_schema())
    add_delete_file(catalog, table, rows, DataFileContent.POSITION_DELETES, None)


def delete_equal(catalog, table, names, rows):
    """Deletes every row whose columns `names` equal one of `rows` (a table of those columns)."""
    schema = table.schema().select(*names)
    typed = rows.cast(schema_to_pyarrow(schema))
    keys = [table.schema().find_field(name).field_id for name in names]
    add_delete_file(catalog, table, typed, DataFileContent.EQUALITY_DELETES, keys)


def delete_by_vector(catalog, table, path, positions):
    """A deletion vector: the deleted positions of one data file as a bitmap in a Puffin file."""
    bitmap = BitMap(positions).serialize()
    vector = b"\xd1\xd3\x39\x64" + struct.pack("<QI", 1, 0) + bitmap
    blob = struct.pack(">I", len(vector)) + vector + struct.pack(">I", zlib.crc32(vector))
    described = {
        "type": "deletion-vector-v1",
        "fields": [],
        "snapshot-id": -1,
        "sequence-number": -1,
        "offset": len(PUFFIN),
        "length": len(blob),
        "properties": {"referenced-data-file": path, "cardinality": str(len(positions))},
    }
    footer = json.dumps({"blobs": [described]}).encode()
    place = f"{table.location()}/data/{uuid.uuid4()}-deletes.puffin"
    with table.io.new_output(place).create() as sink:
        sink.write(PUFFIN + blob + PUFFIN + footer + struct.pack("<II", len(footer), 0) + PUFFIN)
    add_delete_file(catalog, table, positions, DataFileContent.POSITION_DELETES, None, path=place)


def as_version_three(table):
    """Has the table's metadata say so: there is no writer for it yet."""
    place = table.metadata_location.removeprefix("file://")
    with open(place) as file:
        metadata = json.load(file)
    with open(place, "w") as file:
        json.dump({**metadata, "format-version": 3, "next-row-id": 0}, file)


def add_delete_file(catalog, table, rows, content, keys, partition=None, path=None):
    place = path or f"{table.location()}/data/{uuid.uuid4()}-deletes.parquet"
    if path is None:
        with table.io.new_output(place).create() as sink:
            parquet.write_table(rows, sink)
    file = DataFile.from_args(
        _table_format_version=2,
        content=content,
        file_path=place,
        file_format=FileFormat.PUFFIN if place.endswith(".puffin") else FileFormat.PARQUET,
        partition=partition or Record(),
        record_count=len(rows),
        file_size_in_bytes=len(table.io.new_input(place)),
        equality_ids=keys,
        spec_id=table.spec().spec_id,
    )
    file.spec_id = table.spec().spec_id
    commit(catalog, table, file)


def commit(catalog, table, file):
    metadata = table.metadata
    parent = metadata.current_snapshot()
    number = metadata.new_snapshot_id()
    folder = f"{table.location()}/metadata"
    with DeleteManifestWriter(
        table.spec(), table.schema(), table.io.new_output(f"{folder}/{uuid.uuid4()}-m.avro"), number, CODEC
    ) as writer:
        writer.add_entry(
            ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=number, data_file=file)
        )
    place = f"{folder}/snap-{number}-{uuid.uuid4()}.avro"
    sequence = metadata.next_sequence_number()
    with write_manifest_list(2, table.io.new_output(place), number, parent.snapshot_id, sequence, CODEC) as manifests:
        manifests.add_manifests([writer.to_manifest_file(), *parent.manifests(table.io)])
    snapshot = Snapshot(
        snapshot_id=number,
        parent_snapshot_id=parent.snapshot_id,
        manifest_list=place,
        sequence_number=sequence,
        summary=Summary(Operation.DELETE),
        schema_id=metadata.current_schema_id,
    )
    catalog.commit_table(
        table,
        (AssertRefSnapshotId(snapshot_id=parent.snapshot_id, ref="main"),),
        (
            AddSnapshotUpdate(snapshot=snapshot),
            SetSnapshotRefUpdate(
                snapshot_id=number, parent_snapshot_id=parent.snapshot_id, ref_name="main", type=SnapshotRefType.BRANCH
            ),
        ),
    )
    table.refresh()
