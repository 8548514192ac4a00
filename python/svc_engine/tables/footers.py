"""Parquet footers: which row groups a file has, how large they are, and which of them a filter can need."""

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as parquet
from pyiceberg.io.pyarrow import pyarrow_to_schema

from svc_engine.tables.refusals import TableUnreadable, reading

# Footers of wide tables are large: what is kept is counted in column chunks, not in files.
KEPT_CHUNKS = 200_000
THREADS = 16


class FooterCache:
    def __init__(self, capacity=KEPT_CHUNKS):
        self.capacity = capacity
        self.chunks = 0
        self.kept = OrderedDict()
        self.hits = 0
        self.misses = 0
        self.evictions = 0

    def get(self, io, path, size):
        key = (path, size)
        found = self.kept.get(key)
        if found is not None:
            self.hits += 1
            self.kept.move_to_end(key)
            return found
        self.misses += 1
        found = read_footer(io, path)
        self.kept[key] = found
        self.chunks += weight(found)
        while self.chunks > self.capacity and len(self.kept) > 1:
            self.chunks -= weight(self.kept.popitem(last=False)[1])
            self.evictions += 1
        return found

    def stats(self):
        counts = {"hits": self.hits, "misses": self.misses, "evictions": self.evictions}
        return {"size": len(self.kept), "maxSize": self.capacity, **counts}

    def get_many(self, io, files):
        """Footers of `(path, size)`, in order; what is not known yet is read by several threads."""
        if len(files) <= 2:
            return [self.get(io, *one) for one in files]
        with ThreadPoolExecutor(THREADS) as threads:
            return list(threads.map(lambda one: self.get(io, *one), files))


def weight(footer):
    return footer.num_columns * max(1, footer.num_row_groups)


def read_footer(io, path):
    with reading(path), io.new_input(path).open() as file:
        return parquet.read_metadata(file)


FOOTERS = FooterCache()


class FileShape:
    """How one file lays out the columns of its table."""

    __slots__ = ("footer", "leaves", "schema")

    def __init__(self, table, schema, path, footer):
        self.footer = footer
        with reading(path):
            self.schema = file_schema(table, schema, footer.schema.to_arrow_schema())
        self.leaves = {}
        for index in range(footer.num_columns):
            column = footer.schema.column(index)
            self.leaves.setdefault(column.path, []).append(index)
            top = column.path.split(".", 1)[0]
            if top != column.path:
                self.leaves.setdefault(top, []).append(index)

    def bytes_of(self, field_ids):
        """Decoded size of each row group, as far as the footer tells."""
        leaves = [leaf for name in self.names(field_ids) for leaf in self.leaves.get(name, [])]
        groups = (self.footer.row_group(index) for index in range(self.footer.num_row_groups))
        return [sum(group.column(leaf).total_uncompressed_size for leaf in leaves) for group in groups]

    def names(self, field_ids):
        """Top-level names, in this file, of the fields that it holds."""
        return [field.name for field in self.schema.fields if field.field_id in field_ids]

    def judge(self, filters, index):
        """'none', 'some' or 'all' of a row group's rows can match."""
        verdict = "all"
        for one in filters:
            own = self.judge_one(one, index)
            if own == "none":
                return "none"
            verdict = own if own == "some" else verdict
        return verdict

    def judge_one(self, one, index):
        names = self.names({one.field.field_id})
        leaves = self.leaves.get(names[0], []) if names else []
        if len(leaves) != 1:
            return "some"
        group = self.footer.row_group(index)
        statistics = group.column(leaves[0]).statistics
        if statistics is None or not statistics.has_null_count:
            return "some"
        low, high = (statistics.min, statistics.max) if statistics.has_min_max else (None, None)
        return one.judge(low, high, statistics.null_count, group.num_rows)


def file_schema(table, schema, arrow):
    version = table.metadata.format_version
    return pyarrow_to_schema(
        arrow, table.name_mapping(schema), downcast_ns_timestamp_to_us=version <= 2, format_version=version
    )


def checked_format(data_file):
    """The one format of data files that is read."""
    if data_file.file_format.value.upper() != "PARQUET":
        raise TableUnreadable(
            f"{data_file.file_path} is a {data_file.file_format.value} file; only Parquet is read. Rewrite the table's data."
        )
