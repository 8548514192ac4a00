"""Finds a table in its catalog: gives where its metadata lies now, and the properties to read its files with."""

from collections import OrderedDict
from contextlib import contextmanager

from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NotInstalledError,
    OAuthError,
    RESTError,
    UnauthorizedError,
)

from requests.exceptions import RequestException
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from thrift.Thrift import TException

from svc_engine.tables.refusals import (
    CatalogUnreachable,
    ScanInvalid,
    TableNotFound,
    TableUnreadable,
    first_line,
    reading,
)

KEPT_CATALOGS = 32
KEPT_OUT = (UnauthorizedError, ForbiddenError, OAuthError)

_catalogs = OrderedDict()


def open_catalog(name, properties):
    key = (name, tuple(sorted(properties.items())))
    found = _catalogs.pop(key, None)
    if found is None:
        try:
            found = new_catalog(name, properties)
        except (ValueError, ImportError, NotInstalledError, ArgumentError) as problem:
            raise ScanInvalid(f"Catalog '{name}' cannot be used: {first_line(problem)}") from problem
        while len(_catalogs) >= KEPT_CATALOGS:
            _catalogs.popitem(last=False)
    _catalogs[key] = found
    return found


def new_catalog(name, properties):
    if properties.get("type") == "hive" or properties.get("uri", "").startswith("thrift"):
        from svc_engine.tables.hive import understand_every_version

        understand_every_version()
    return load_catalog(name, **properties)


@contextmanager
def asking(name, table):
    """Whatever goes wrong between us and the catalog becomes a refusal."""
    try:
        yield
    except (NoSuchTableError, NoSuchNamespaceError) as problem:
        raise TableNotFound(table) from problem
    except KEPT_OUT as problem:
        raise TableUnreadable(f"Catalog '{name}' does not let the server in with the credentials it has.") from problem
    except SQLAlchemyError as problem:
        if "no such table: iceberg_tables" in str(problem):
            raise TableNotFound(table) from problem
        raise CatalogUnreachable(name) from problem
    except (RESTError, RequestException, TException) as problem:
        raise CatalogUnreachable(name) from problem


def named_table(catalog, params):
    """The table of exactly this name. Catalogs that ignore case, such as Hive's, would also give it under names that no
    access rule was written for."""
    name = (params["namespace"], params["table"])
    table = catalog.load_table(name)
    if table.name() != name:
        raise TableNotFound(".".join(name))
    return table


def load(params):
    table = f"{params['namespace']}.{params['table']}"
    with reading(f"The metadata of {table}"), asking(params["catalog"], table):
        return named_table(open_catalog(params["catalog"], params["properties"]), params)


def locate(params):
    """Params: catalog, properties, namespace, table."""
    table = load(params)
    return {"metadataLocation": table.metadata_location, "io": {k: str(v) for k, v in table.io.properties.items()}}
