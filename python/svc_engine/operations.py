"""Everything the data process answers, by name."""

from svc_engine.browse import browse, export, summarise
from svc_engine.data import memory, versions

OPERATIONS = {
    "browse": browse,
    "export": export,
    "memory": memory,
    "summarise": summarise,
    "versions": versions,
}
