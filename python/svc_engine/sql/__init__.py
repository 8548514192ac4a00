"""Queries of SQL cells: what a text says, whether what it reads has changed, and its result as Arrow.

One request at a time runs in a process; the server starts as many processes as queries run at once and ends the one
whose query is cancelled. Credentials arrive in a request, stay in memory and are never printed.
"""

from svc_engine.sql.describe import describe
from svc_engine.sql.requests import columns, functions, preview, probe, query, schema, weigh, write

OPERATIONS = {
    "columns": columns,
    "describe": describe,
    "functions": functions,
    "probe": probe,
    "preview": preview,
    "weigh": weigh,
    "query": query,
    "schema": schema,
    "write": write,
}
