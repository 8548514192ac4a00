"""Client of svc: artifacts, tables and notebooks.

>>> from svc_client import SvcClient, gt, scan
>>> with SvcClient() as client:
...     frame = client.materialize(["file:///warehouse#db.orders"], scan(filters=[gt("price", 10)])).to_pandas()
"""

from .aio import AsyncSvcClient
from .artifact import Artifact, AsyncArtifact
from .client import SvcClient
from .errors import BuildFailed, NotFound, SvcError
from .exchange import RetryConfig
from .filters import Filter, FilterOp, FilterValue, compute_filter_fingerprint, eq, ge, gt, le, lt, ne
from .notebook_calls import CellFailed
from .notebooks import AsyncNotebook, Notebook
from .scan import scan

__all__ = [
    "Artifact",
    "AsyncArtifact",
    "AsyncNotebook",
    "AsyncSvcClient",
    "BuildFailed",
    "CellFailed",
    "Filter",
    "FilterOp",
    "FilterValue",
    "NotFound",
    "Notebook",
    "RetryConfig",
    "SvcClient",
    "SvcError",
    "compute_filter_fingerprint",
    "eq",
    "ge",
    "gt",
    "le",
    "lt",
    "ne",
    "scan",
]
