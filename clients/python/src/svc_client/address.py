"""Where the server is: what the caller says, else what the environment says, else what the nearest project says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def server_url(base_url: str | None = None) -> str:
    said = base_url or os.environ.get("SVC_SERVER_URL")
    if said:
        return said.rstrip("/")
    project = _project_settings(Path.cwd())
    host = os.environ.get("SVC_HOST") or project.get("host") or "127.0.0.1"
    port = os.environ.get("SVC_PORT") or project.get("port") or 8765
    return f"http://{host}:{port}"


def _project_settings(folder: Path) -> dict[str, Any]:
    """The `[tool.svc]` table of the nearest `pyproject.toml`, upwards."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            return dict(_parse_toml(file).get("tool", {}).get("svc", {}))
    return {}


def _parse_toml(file: Path) -> dict[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10: the address comes from the environment or from the default
        return {}
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
