"""Everything the data process answers, by name."""

from svc_engine.browse import browse, export, summarise
from svc_engine.data import memory, versions
from svc_engine.templates import render

OPERATIONS = {
    "browse": browse,
    "export": export,
    "memory": memory,
    "render_prompt": render,
    "summarise": summarise,
    "versions": versions,
}
