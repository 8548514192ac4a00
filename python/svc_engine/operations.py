"""Everything the data process answers, by name."""

from svc_engine.browse import browse, export, summarise
from svc_engine.data import memory, versions
from svc_engine.r_frames import frame_from_text, frame_to_text
from svc_engine.templates import render

OPERATIONS = {
    "browse": browse,
    "export": export,
    "frame_from_text": frame_from_text,
    "frame_to_text": frame_to_text,
    "memory": memory,
    "render_prompt": render,
    "summarise": summarise,
    "versions": versions,
}
