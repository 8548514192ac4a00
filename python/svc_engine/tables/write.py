"""Writes rows to a table: appended, in place of all others, or merged by key. The table is made where it is missing.

A table that this service did not make is not ours to overwrite; others may write to it at any time, so a lost race is run
again on what is there then.
"""

import pyarrow
import pyarrow.ipc as ipc
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NoSuchTableError,
    TableAlreadyExistsError,
    ValidationError,
)

from svc_engine.tables.catalogs import asking, named_table, open_catalog
from svc_engine.tables.refusals import (
    OWN,
    StorageUnreachable,
    TableNotFound,
    WriteConflict,
    WriteRefused,
    first_line,
)

ATTEMPTS = 8
MADE_HERE = "svc.created"
# Another writer was first.
LOST = (CommitFailedException, TableAlreadyExistsError)
OWN_KEYS = ("svc.artifact_id", "svc.provenance_hash")


def write(params):
    """Params: catalog, properties, namespace, table, source (an Arrow stream), mode, on, foreign, tenant, summary, tag."""
    rows = source_rows(params["source"])
    if params["mode"] == "merge":
        check_keys(rows, params["on"])
    problem = None
    for _attempt in range(ATTEMPTS):
        try:
            with asking(params["catalog"], name_of(params)):
                catalog = open_catalog(params["catalog"], params["properties"])
                return attempt(catalog, rows, params)
        except OWN:
            raise
        except LOST as lost:
            problem = lost
        except (OSError, ConnectionError) as failed:
            raise StorageUnreachable(first_line(failed)) from failed
    raise WriteConflict(
        f"Others changed {name_of(params)} each of the {ATTEMPTS} times it was tried; write again: {first_line(problem)}"
    ) from problem


def attempt(catalog, rows, params):
    table, created = open_or_create(catalog, rows, params)
    if not created:
        check_ownership(table, params)
    try:
        # One commit: rows that are refused leave no new columns behind.
        with table.transaction() as transaction:
            with transaction.update_schema() as update:
                update.union_by_name(rows.schema)
            change(transaction, rows, params)
    except LOST:
        raise
    except (ValidationError, ValueError, TypeError, NotImplementedError, pyarrow.ArrowException) as problem:
        raise WriteRefused(f"{name_of(params)} does not take these rows: {first_line(problem)}") from problem
    table.refresh()
    snapshot = table.current_snapshot()
    if params["tag"] is not None:
        set_tag(table, snapshot.snapshot_id, params["tag"])
    return {"snapshotId": None if snapshot is None else str(snapshot.snapshot_id), "created": created}


def change(transaction, rows, params):
    summary = params["summary"]
    if params["mode"] == "append":
        transaction.append(rows, snapshot_properties=summary)
    elif params["mode"] == "overwrite":
        transaction.overwrite(rows, snapshot_properties=summary)
    else:
        transaction.upsert(rows, join_cols=params["on"], snapshot_properties=summary)


def source_rows(path):
    try:
        with pyarrow.memory_map(path) as source:
            rows = ipc.open_stream(source).read_all()
    except pyarrow.ArrowInvalid as problem:
        raise WriteRefused(f"The value is no table: {first_line(problem)}") from problem
    return rows.replace_schema_metadata(None)


def check_keys(rows, keys):
    missing = [key for key in keys if key not in rows.column_names]
    if missing:
        raise WriteRefused(f"The rows have no column(s) {missing} to merge on. Columns: {rows.column_names}.")


def open_or_create(catalog, rows, params):
    try:
        return named_table(catalog, params), False
    except NoSuchTableError:
        pass
    try:
        catalog.create_namespace(params["namespace"])
    except NamespaceAlreadyExistsError:
        pass
    try:
        made = catalog.create_table(
            (params["namespace"], params["table"]), schema=rows.schema, properties={MADE_HERE: "true"}
        )
    except (ValueError, TypeError) as problem:
        raise WriteRefused(f"{name_of(params)} cannot be made from these rows: {first_line(problem)}") from problem
    return made, True


def check_ownership(table, params):
    """Ours is what was made here, or last written by us; a tenant's is what that tenant wrote last."""
    summaries = [dict(snapshot.summary.additional_properties) for snapshot in table.snapshots() if snapshot.summary]
    written = [summary for summary in summaries if any(key in summary for key in OWN_KEYS)]
    ours = bool(written) or MADE_HERE in table.properties
    if not ours and params["mode"] == "overwrite":
        raise WriteRefused(f"{name_of(params)} was not made by this service and is not overwritten.")
    if not ours and not params["foreign"]:
        raise WriteRefused(
            f"{name_of(params)} was not made by this service. Set SVC_NOTEBOOK_TABLE_WRITES_FOREIGN=true to append to it."
        )
    if ours and written and params["tenant"] and written[-1].get("svc.tenant", "") != params["tenant"]:
        raise TableNotFound(name_of(params))


def set_tag(table, snapshot_id, tag):
    if tag in table.refs():
        table.manage_snapshots().remove_tag(tag).commit()
    table.manage_snapshots().create_tag(snapshot_id, tag).commit()


def name_of(params):
    return f"{params['namespace']}.{params['table']}"
