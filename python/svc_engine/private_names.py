"""Names that begin with `_` stay within their cell; in Jupyter every other cell knows them, too. Those that others read are called
otherwise, everywhere.
"""

import ast
import builtins
import re

from svc_engine.cell_trees import cell_tree
from svc_engine.explicit.plan import Cell, NotTheSame
from svc_engine.explicit.renaming import rename

_PRIVATE = re.compile(r"_[^\W\d_]\w*")


def share(cells, notes):
    """`cells`: all of the notebook, in their order."""
    given = [{"reads": [], "defines": [], **cell} for cell in cells]
    made = [name for cell in cells if cell["language"] == "python" for name in _made_in(cell["source"])]
    for name in dict.fromkeys(filter(_PRIVATE.fullmatch, made)):
        if sum(name in cell["source"] for cell in given) < 2:
            continue
        meant = [Cell(place, cell, name) for place, cell in enumerate(given)]
        if any(cell.found and not cell.binds for cell in meant):
            maker = next(cell.place for cell in meant if cell.binds)
            _call_otherwise(name, maker, given, notes)
    for cell, changed in zip(cells, given, strict=True):
        cell["source"] = changed["source"]


def _made_in(source):
    for node in cell_tree(source).run_here:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]


def _call_otherwise(name, maker, cells, notes):
    plain = name.lstrip("_")
    for new in (plain, f"{plain}_", f"own_{plain}"):
        if hasattr(builtins, new):
            continue
        try:
            changes = rename({"name": name, "to": new, "cells": cells})
        except NotTheSame:
            continue
        for change in changes:
            cells[change["cell"]]["source"] = change["source"]
        notes.findings.append({"cell": maker, "line": 1, "kind": "translated", "text": f"{name} is {new}"})
        return
