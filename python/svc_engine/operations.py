"""Everything the data process answers, by name. What needs many packages is imported when it is first asked for."""

from importlib import import_module

from svc_engine.browse import browse, compare, describe, export, summarise
from svc_engine.data import require, versions
from svc_engine.r_frames import frame_from_text, frame_to_text
from svc_engine.templates import render
from svc_engine.watched_folders import watch_folder, watched_folder


def later(module, name, packages=("pyarrow", "pyiceberg")):
    def run(params):
        for package in packages:
            require(package)
        return getattr(import_module(f"svc_engine.tables.{module}"), name)(params)

    return run


OPERATIONS = {
    "browse": browse,
    "export": export,
    "frame_from_text": frame_from_text,
    "frame_to_text": frame_to_text,
    "render_prompt": render,
    "compare": compare,
    "describe": describe,
    "summarise": summarise,
    "table_assemble": later("assemble", "assemble", packages=()),
    "table_locate": later("catalogs", "locate"),
    "table_narrow": later("read", "narrow"),
    "table_plan": later("plan", "plan"),
    "table_prepare": later("read", "prepare"),
    "table_read": later("read", "read"),
    "table_sql": later("sql", "run_sql", packages=("pyarrow", "duckdb")),
    "table_write": later("write", "write"),
    "versions": versions,
    "watch_folder": watch_folder,
    "watched_folder": watched_folder,
}
