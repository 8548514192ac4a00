"""Finds a table in its catalog: gives where its metadata lies now, and the properties to read its files with."""

from collections import OrderedDict

from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NoSuchNamespaceError,
    NoSuchTableError,
    OAuthError,
    UnauthorizedError,
)

from svc_engine.tables.refusals import ScanInvalid, StorageUnreachable, TableNotFound, first_line

KEPT_CATALOGS = 32

_catalogs = OrderedDict()


def open_catalog(name, properties):
    key = (name, tuple(sorted(properties.items())))
    found = _catalogs.pop(key, None)
    if found is None:
        try:
            found = load_catalog(name, **properties)
        except (ValueError, ImportError, ModuleNotFoundError) as problem:
            raise ScanInvalid(f"Catalog '{name}' cannot be used: {first_line(problem)}") from problem
        except Exception as problem:
            raise StorageUnreachable(f"Catalog '{name}' could not be reached: {first_line(problem)}") from problem
        while len(_catalogs) >= KEPT_CATALOGS:
            _catalogs.popitem(last=False)
    _catalogs[key] = found
    return found


def load(params):
    catalog = open_catalog(params["catalog"], params["properties"])
    try:
        return catalog.load_table((params["namespace"], params["table"]))
    except (NoSuchTableError, NoSuchNamespaceError) as problem:
        raise TableNotFound(f"{params['namespace']}.{params['table']}") from problem
    except (UnauthorizedError, ForbiddenError, OAuthError) as problem:
        raise StorageUnreachable(f"Catalog '{params['catalog']}' did not let us in: {first_line(problem)}") from problem
    except FileNotFoundError as problem:
        raise TableNotFound(f"{params['namespace']}.{params['table']}") from problem
    except Exception as problem:
        if "no such table: iceberg_tables" in str(problem):
            raise TableNotFound(f"{params['namespace']}.{params['table']}") from problem
        raise StorageUnreachable(
            f"Catalog '{params['catalog']}' could not give the table: {first_line(problem)}"
        ) from problem


def locate(params):
    """Params: catalog, properties, namespace, table."""
    table = load(params)
    return {"metadataLocation": table.metadata_location, "io": {k: str(v) for k, v in table.io.properties.items()}}
