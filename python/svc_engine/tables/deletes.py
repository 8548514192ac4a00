"""Rows that a table has deleted: by their position in a data file, or by equal values of some columns."""

from collections import OrderedDict

import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet
from pyiceberg.table.puffin import PuffinFile

from svc_engine.tables.fitting import plain
from svc_engine.tables.footers import file_schema
from svc_engine.tables.refusals import TableUnreadable, reading

KEPT_FILES = 64


class Kept:
    """A few read delete files: neighbouring row groups need the same ones."""

    def __init__(self):
        self.kept = OrderedDict()

    def get(self, key, read):
        found = self.kept.pop(key, None)
        if found is None:
            found = read()
            while len(self.kept) >= KEPT_FILES:
                self.kept.popitem(last=False)
        self.kept[key] = found
        return found


_positions = Kept()
_keys = Kept()


def deleted_positions(table, paths, data_path):
    """Every deleted position of a data file, as one array; None when there is none."""
    parts = [_positions.get((path, data_path), lambda path=path: read_positions(table.io, path, data_path)) for path in paths]
    parts = [part for part in parts if len(part) > 0]
    return pyarrow.concat_arrays(parts) if parts else None


def read_positions(io, path, data_path):
    with reading(path), io.new_input(path).open() as file:
        if is_puffin(file):
            vector = PuffinFile(file.read()).to_vector().get(data_path)
            return pyarrow.array([], pyarrow.int64()) if vector is None else flat(vector).cast(pyarrow.int64())
        rows = parquet.read_table(file, columns=["file_path", "pos"])
        return flat(rows.filter(compute.equal(rows["file_path"], data_path))["pos"])


def is_puffin(file):
    head = file.read(4)
    file.seek(0)
    return head == b"PFA1"


def flat(column):
    combined = column.combine_chunks()
    return pyarrow.concat_arrays(combined.chunks) if isinstance(combined, pyarrow.ChunkedArray) else combined


def kept_by_position(positions, start, count):
    """A mask of the rows from `start` on that are not deleted; None when all stay."""
    here = positions.filter(
        compute.and_(compute.greater_equal(positions, start), compute.less(positions, start + count))
    )
    if len(here) == 0:
        return None
    return compute.invert(compute.is_in(pyarrow.array(range(start, start + count), pyarrow.int64()), value_set=here))


class EqualityDelete:
    """The key rows of one delete file, numbered so that rows of data are looked up column by column."""

    def __init__(self, key_fields, columns):
        self.key_fields = key_fields
        self.values = [compute.unique(column) for column in columns]
        codes = None
        self.steps = []
        for column, values in zip(columns, self.values):
            own = compute.index_in(column, value_set=values).cast(pyarrow.int64())
            codes = own if codes is None else self.join(codes, own, len(values))
        self.codes = codes

    def join(self, codes, own, count):
        known = compute.unique(codes)
        self.steps.append((known, count))
        return combine(compute.index_in(codes, value_set=known), own, count)

    def hits(self, columns):
        """A mask of the rows whose keys this file deletes; null equals null."""
        steps = iter(self.steps)
        codes = None
        for column, values in zip(columns, self.values):
            own = compute.index_in(column.cast(values.type), value_set=values).cast(pyarrow.int64())
            if codes is None:
                codes = own
            else:
                known, count = next(steps)
                codes = combine(compute.index_in(codes, value_set=known), own, count)
        return compute.and_(compute.is_valid(codes), compute.is_in(codes, value_set=self.codes))


def combine(left, right, count):
    """One number for a pair; null when either is unknown."""
    return compute.add(compute.multiply(left.cast(pyarrow.int64()), count), right)


def equality_delete(table, schema, delete):
    key = (delete["path"], tuple(delete["keys"]), schema.schema_id)
    return _keys.get(key, lambda: read_equality_delete(table, schema, delete))


def read_equality_delete(table, schema, delete):
    with reading(delete["path"]), table.io.new_input(delete["path"]).open() as file:
        rows = parquet.ParquetFile(file).read()
        own = file_schema(table, schema, rows.schema)
    columns = []
    for field_id in delete["keys"]:
        field = next((field for field in own.fields if field.field_id == field_id), None)
        if field is None:
            raise TableUnreadable(
                f"{delete['path']} deletes by a nested column (field {field_id}), which is not supported. Compact the table."
            )
        columns.append(plain(flat(rows[field.name])))
    return EqualityDelete(list(delete["keys"]), columns)

