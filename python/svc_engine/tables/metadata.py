"""Table metadata, by its location: a metadata file never changes, so what was read once stays true."""

import hashlib
from collections import OrderedDict

import pyarrow
from pyiceberg.io import load_file_io
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.serializers import FromInputFile
from pyiceberg.table.name_mapping import create_mapping_from_schema

from svc_engine.tables.refusals import ScanInvalid, SnapshotNotFound, TableUnreadable, reading

KEPT_TABLES = 64


class OpenTable:
    """Metadata and the way to its files."""

    __slots__ = ("io", "location", "metadata")

    def __init__(self, location, metadata, io):
        self.location = location
        self.metadata = metadata
        self.io = io

    def snapshot(self, snapshot_id):
        """The snapshot that is meant: None for a table that has none yet."""
        if snapshot_id is None:
            current = self.metadata.current_snapshot()
            if current is None and self.metadata.current_snapshot_id is not None:
                raise TableUnreadable(
                    f"{self.location} says that snapshot {self.metadata.current_snapshot_id} is the current one, but "
                    "does not list it"
                )
            return current
        found = self.metadata.snapshot_by_id(snapshot_id)
        if found is None:
            raise SnapshotNotFound(f"Snapshot {snapshot_id} not found in table")
        return found

    def schema(self, snapshot_id):
        """The current schema; for a snapshot that was asked for by its id, the one it was written with."""
        if snapshot_id is not None:
            snapshot = self.snapshot(snapshot_id)
            for schema in self.metadata.schemas:
                if schema.schema_id == snapshot.schema_id:
                    return schema
        return self.metadata.schema()

    def name_mapping(self, schema):
        """For files without field ids: the table's own mapping, else by name."""
        return self.metadata.name_mapping() or create_mapping_from_schema(schema)

    def reading(self):
        """Everything besides snapshot and schema that decides how files are read."""
        mapping = self.metadata.name_mapping()
        text = "" if mapping is None else mapping.model_dump_json(exclude_none=True, by_alias=True)
        return hashlib.sha256(f"{self.metadata.format_version}|{text}".encode()).hexdigest()[:16]


_tables = OrderedDict()


def open_table(location, properties):
    key = (location, tuple(sorted(properties.items())))
    found = _tables.pop(key, None)
    if found is None:
        with reading(location):
            io = load_file_io(properties=properties, location=location)
            metadata = FromInputFile.table_metadata(io.new_input(location))
        found = OpenTable(location, metadata, io)
        while len(_tables) >= KEPT_TABLES:
            _tables.popitem(last=False)
    _tables[key] = found
    return found


def project(schema, columns, identity):
    """The fields that were asked for, in that order; a name given twice comes twice."""
    if not columns:
        return list(schema.fields)
    by_name = {field.name: field for field in schema.fields}
    unknown = sorted({name for name in columns if name not in by_name})
    if unknown:
        raise ScanInvalid(f"Table {identity} has no column(s) {unknown}. Available columns: {sorted(by_name)}.")
    return [by_name[name] for name in columns]


def arrow_schema(fields):
    """The schema of a result: what the table says, with 32-bit offsets, whatever single files hold."""
    unique = {field.field_id: field for field in fields}
    whole = schema_to_pyarrow(Schema(*unique.values()), include_field_ids=False)
    small_fields = {field_id: small(whole.field(place)) for place, field_id in enumerate(unique)}
    return pyarrow.schema([small_fields[field.field_id] for field in fields])


def small(field):
    return field.with_type(small_type(field.type))


def small_type(kind):
    if pyarrow.types.is_large_string(kind):
        return pyarrow.string()
    if pyarrow.types.is_large_binary(kind):
        return pyarrow.binary()
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        return pyarrow.list_(small(kind.value_field))
    if pyarrow.types.is_map(kind):
        return pyarrow.map_(small(kind.key_field), small(kind.item_field))
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([small(kind.field(place)) for place in range(kind.num_fields)])
    return kind
