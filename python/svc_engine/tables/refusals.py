"""What can be wrong with a table or a request for it. The class name crosses to the server, which answers by it."""

from contextlib import contextmanager

from pydantic import ValidationError


class TableNotFound(LookupError):
    pass


class SnapshotNotFound(LookupError):
    pass


class ScanInvalid(ValueError):
    """The request asks for what this table cannot give."""


class TableUnreadable(ValueError):
    """The table holds something that cannot be read: a damaged file, a format or a change that is not supported."""


class StorageUnreachable(OSError):
    """The place of the table does not answer, or does not let us in."""


class CatalogUnreachable(OSError):
    """The catalog does not answer."""


class WriteRefused(ValueError):
    """The table is not ours to write, or does not take these rows."""


class WriteConflict(RuntimeError):
    """Others kept changing the table while we tried."""


OWN = (
    TableNotFound,
    SnapshotNotFound,
    ScanInvalid,
    TableUnreadable,
    StorageUnreachable,
    CatalogUnreachable,
    WriteRefused,
    WriteConflict,
)

# How the stores say that they know us not, or know better than to let us in.
DENIED = (
    "access denied",
    "access_denied",
    "permission denied",
    "permission_denied",
    "unauthenticated",
    "forbidden",
    "invalid_access_key_id",
    "signature_does_not_match",
    "authenticationfailed",
    "authorizationfailure",
    "authorizationpermissionmismatch",
)
MISSING = ("path does not exist", "no such file", "not found", "nosuchkey", "no such key")


@contextmanager
def reading(what, reach_matters=True):
    """Whatever goes wrong while `what` is read becomes a refusal that names it."""
    try:
        yield
    except OWN:
        raise
    except FileNotFoundError as problem:
        raise TableUnreadable(f"{what} is missing: the table refers to it, but it is not there") from problem
    except MemoryError as problem:
        reason = "it asks for more memory than there is, being damaged or too large for this server"
        raise TableUnreadable(f"{what} cannot be read: {reason}") from problem
    except OSError as problem:
        text = str(problem).lower()
        if any(word in text for word in MISSING):
            raise TableUnreadable(f"{what} is missing: the table refers to it, but it is not there") from problem
        if any(word in text for word in DENIED):
            raise TableUnreadable(f"{what} may not be read with the server's credentials") from problem
        if not reach_matters or "://" not in what or what.startswith("file:"):
            raise TableUnreadable(f"{what} cannot be read: {first_line(problem)}") from problem
        raise StorageUnreachable(f"{what} cannot be read: {first_line(problem)}") from problem
    except Exception as problem:
        raise TableUnreadable(f"{what} cannot be read: {first_line(problem)}") from problem


def first_line(problem):
    invalid = problem.__cause__ if isinstance(problem.__cause__, ValidationError) else problem
    if isinstance(invalid, ValidationError):
        first = invalid.errors(include_url=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"[:500]
    lines = str(problem).strip().splitlines()
    return (lines[0] if lines else type(problem).__name__)[:500]
