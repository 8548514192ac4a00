"""Tables of an Iceberg catalog inside a DuckDB session: each one that a query names is read at its current snapshot and
shown under `<catalog>.<namespace>.<table>`."""

from svc_engine.data import require


class Lake:
    def __init__(self, given, names, pins):
        self._pins = pins
        self._name = given["name"]
        self._catalog = require("svc_engine.tables.catalogs").new_catalog(self._name, given["properties"])
        wanted = {tuple(part.lower() for part in parts) for parts in names}
        self._tables = {parts: self._load(parts) for parts in sorted(wanted)}

    def snapshots(self):
        """Address → snapshot; null for a table that has none yet."""
        found = {self._address(parts): table.metadata.current_snapshot_id for parts, table in self._tables.items()}
        return {address: None if snapshot is None else str(snapshot) for address, snapshot in found.items()}

    def sizes(self):
        """Address → `{snapshot, bytes}` of what a query would read; null where the snapshot does not say."""
        found = {}
        for parts, table in self._tables.items():
            snapshot = self._snapshot(parts, table)
            known = None if snapshot is None else table.metadata.snapshot_by_id(snapshot)
            size = known.summary["total-files-size"] if known and known.summary else None
            found[self._address(parts)] = {
                "snapshot": None if snapshot is None else str(snapshot),
                "bytes": None if size is None else int(size),
            }
        return found

    def attach(self, database):
        database.execute(f"ATTACH ':memory:' AS {quoted(self._name)}")
        for index, (parts, table) in enumerate(self._tables.items()):
            held = f"__lake_{index}"
            database.register(held, table.scan(snapshot_id=self._snapshot(parts, table)).to_arrow())
            schema = f"{quoted(self._name)}.{quoted('.'.join(parts[:-1]))}"
            database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            database.execute(f"CREATE VIEW {schema}.{quoted(parts[-1])} AS SELECT * FROM {held}")

    def listed(self):
        """Every table of the catalog as rows of catalog, namespace, name, column, type, nullable."""
        for namespace in self._catalog.list_namespaces():
            for identifier in self._catalog.list_tables(namespace):
                for field in self._catalog.load_table(identifier).schema().fields:
                    yield [
                        self._name, ".".join(identifier[:-1]), identifier[-1], field.name, str(field.field_type),
                        not field.required,
                    ]  # fmt: skip

    def _address(self, parts):
        return f"{self._name}:{'.'.join(parts)}"

    def _snapshot(self, parts, table):
        pinned = self._pins.get(self._address(parts))
        return table.metadata.current_snapshot_id if pinned is None else int(pinned)

    def _load(self, parts):
        for namespace in self._catalog.list_namespaces():
            if tuple(part.lower() for part in namespace) != parts[:-1]:
                continue
            for identifier in self._catalog.list_tables(namespace):
                if identifier[-1].lower() == parts[-1]:
                    return self._catalog.load_table(identifier)
        raise LookupError(f"catalog {self._name} has no table {'.'.join(parts)}")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'
