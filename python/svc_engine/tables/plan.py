"""Which row groups of which files a scan has to read, and which deletes apply to them.

The answer holds everything that reading a row group needs beside the table's metadata, so that any process can do it.
"""

import base64
import json
import struct

from pyiceberg.conversions import to_bytes
from pyiceberg.expressions.visitors import (
    _InclusiveMetricsEvaluator,
    expression_evaluator,
    inclusive_projection,
    manifest_evaluator,
)
from pyiceberg.manifest import DataFileContent, ManifestContent
from pyiceberg.schema import Schema
from pyiceberg.table.delete_file_index import DeleteFileIndex
from pyiceberg.transforms import IdentityTransform

from svc_engine.tables.filters import read_filters, whole_expression
from svc_engine.tables.footers import FOOTERS, FileShape, checked_format
from svc_engine.tables.metadata import arrow_schema, open_table, project
from svc_engine.tables.refusals import TableUnreadable, reading


def plan(params):
    """Params: metadataLocation, io, snapshotId, columns, filters (JSON text), identity, maxEqualityDeleteRows."""
    with reading(params["metadataLocation"]):
        return plan_table(params)


def plan_table(params):
    table = open_table(params["metadataLocation"], params["io"])
    asked = None if params["snapshotId"] is None else int(params["snapshotId"])
    snapshot = table.snapshot(asked)
    schema = table.schema(asked)
    fields = project(schema, params["columns"], params["identity"])
    filters = read_filters(schema, json.loads(params["filters"]))
    result = arrow_schema(fields)
    files, pruned = [], 0
    if snapshot is not None:
        files, pruned = planned_files(table, schema, snapshot, fields, filters, params["maxEqualityDeleteRows"])
    return {
        "tableUuid": str(table.metadata.table_uuid),
        "snapshotId": None if snapshot is None else str(snapshot.snapshot_id),
        "schemaId": schema.schema_id,
        "reading": table.reading(),
        "schemaMessage": base64.b64encode(result.serialize().to_pybytes()).decode(),
        "schemaText": result.to_string(show_field_metadata=False, show_schema_metadata=False),
        "files": files,
        "prunedRowGroups": pruned,
        "footers": FOOTERS.stats(),
    }


def planned_files(table, schema, snapshot, fields, filters, max_delete_rows):
    entries, deletes = live_entries(table, schema, snapshot, filters)
    for entry in entries:
        checked_format(entry.data_file)
    footers = FOOTERS.get_many(table.io, [(one.data_file.file_path, one.data_file.file_size_in_bytes) for one in entries])
    wanted = {field.field_id for field in fields}
    planned, pruned, shape = [], 0, None
    for entry, footer in zip(entries, footers):
        data_file = entry.data_file
        if shape is None or not footer.schema.equals(shape.footer.schema):
            shape = FileShape(table, schema, data_file.file_path, footer)
        shape.footer = footer
        groups, skipped = row_groups(shape, wanted, filters)
        pruned += skipped
        if groups:
            positional, equality = deletes.of(entry)
            refuse_too_many(equality, max_delete_rows)
            planned.append(
                {
                    "path": data_file.file_path,
                    "size": data_file.file_size_in_bytes,
                    "constants": identity_values(table, schema, data_file),
                    "positional": sorted(one.file_path for one in positional),
                    "equality": [
                        {"path": one.file_path, "keys": list(one.equality_ids or [])} for one in by_path(equality)
                    ],
                    "rowGroups": groups,
                }
            )
    return planned, pruned


def row_groups(shape, wanted, filters):
    sizes = shape.bytes_of(wanted)
    groups, skipped, start = [], 0, 0
    for index in range(shape.footer.num_row_groups):
        rows = shape.footer.row_group(index).num_rows
        verdict = shape.judge(filters, index) if filters else "all"
        if verdict == "none":
            skipped += 1
        elif rows > 0:
            groups.append({"index": index, "start": start, "rows": rows, "bytes": sizes[index], "all": verdict == "all"})
        start += rows
    return groups, skipped


def live_entries(table, schema, snapshot, filters):
    """Data files that may hold matching rows, and every delete file: deletes are never left out because of a filter."""
    expression = whole_expression(filters)
    partitions = PartitionFilters(table, schema, expression)
    deletes = Deletes(table)
    data = []
    with reading(snapshot.manifest_list or "manifest list"):
        manifests = snapshot.manifests(table.io)
    for manifest in manifests:
        if manifest.content == ManifestContent.DATA and not partitions.may_match_manifest(manifest):
            continue
        with reading(manifest.manifest_path):
            entries = manifest.fetch_manifest_entry(table.io, discard_deleted=True)
        for entry in entries:
            if entry.data_file.content != DataFileContent.DATA:
                deletes.add(entry)
            elif not filters or partitions.may_match_file(entry.data_file):
                data.append(entry)
    return data, deletes


class PartitionFilters:
    """The filter as partitions and file bounds see it, per partition spec."""

    def __init__(self, table, schema, expression):
        self.specs = table.metadata.specs()
        self.schema = schema
        self.expression = expression
        self.of_spec = {}

    def projected(self, spec_id):
        if spec_id not in self.of_spec:
            spec = self.specs[spec_id]
            try:
                projected = inclusive_projection(self.schema, spec, True)(self.expression)
                partition_schema = Schema(*spec.partition_type(self.schema).fields)
                self.of_spec[spec_id] = (
                    manifest_evaluator(spec, self.schema, projected, True),
                    expression_evaluator(partition_schema, projected, True),
                )
            except ValueError:
                # The spec partitions by a column that this schema no longer has: it can say nothing.
                self.of_spec[spec_id] = (lambda _manifest: True, lambda _partition: True)
        return self.of_spec[spec_id]

    def may_match_manifest(self, manifest):
        return self.projected(manifest.partition_spec_id)[0](manifest)

    def may_match_file(self, data_file):
        if not self.projected(data_file.spec_id or 0)[1](data_file.partition):
            return False
        try:
            return _InclusiveMetricsEvaluator(self.schema, self.expression, True).eval(data_file)
        except (struct.error, ValueError, TypeError):
            # Bounds of a file that was written before its column was widened are of the old type: they say nothing.
            return True


class Deletes:
    """Delete files, and which of them reach a data file."""

    def __init__(self, table):
        self.specs = table.metadata.specs()
        self.positional = DeleteFileIndex()
        self.equality = []

    def add(self, entry):
        delete_file = entry.data_file
        if delete_file.content == DataFileContent.EQUALITY_DELETES:
            self.equality.append(entry)
        else:
            self.positional.add_delete_file(entry, partition_key=delete_file.partition)
        if delete_file.file_format.value.upper() not in ("PARQUET", "PUFFIN"):
            raise TableUnreadable(
                f"{delete_file.file_path} holds deletes as {delete_file.file_format.value}; only Parquet deletes and "
                "deletion vectors are read. Compact the table to remove them."
            )

    def of(self, entry):
        data_file, sequence = entry.data_file, entry.sequence_number or 0
        positional = self.positional.for_data_file(sequence, data_file, partition_key=data_file.partition)
        equality = [
            one.data_file
            for one in self.equality
            if (one.sequence_number or 0) > sequence and self.is_in_reach(one.data_file, data_file)
        ]
        return positional, equality

    def is_in_reach(self, delete_file, data_file):
        spec = self.specs[delete_file.spec_id or 0]
        if spec.is_unpartitioned():
            return True
        return delete_file.spec_id == data_file.spec_id and delete_file.partition == data_file.partition


def by_path(files):
    return sorted(files, key=lambda one: one.file_path)


def refuse_too_many(equality, limit):
    rows = sum(one.record_count for one in equality)
    if rows > limit:
        raise TableUnreadable(
            f"{rows} equality-delete rows apply to one row group, more than the limit of {limit}. Compact the table, or "
            "raise SVC_MAX_EQUALITY_DELETE_ROWS."
        )


def identity_values(table, schema, data_file):
    """Values of identity partitions, for files that leave their partition's columns out."""
    values = {}
    spec = table.metadata.specs().get(data_file.spec_id or 0)
    for position, field in enumerate(spec.fields if spec else ()):
        if not isinstance(field.transform, IdentityTransform):
            continue
        value = data_file.partition[position]
        try:
            kind = schema.find_type(field.source_id)
        except ValueError:
            continue
        if value is not None:
            values[str(field.source_id)] = base64.b64encode(to_bytes(kind, value)).decode()
    return values
