"""Where the cells of a notebook mean a name, and edits after which they call it otherwise and mean the same."""

import keyword
import re

from svc_engine.explicit.plan import Cell, NotTheSame, change_of

# Whoever renames a class or a decorated function wants it to show its new name.
_WANTED = "shows its own name"


def places(params):
    """Every place in Python cells, by cell and line from 1; of cells of other languages, that they read or define it."""
    found = []
    for cell in _cells(params):
        if not cell.is_python:
            found += [{"cell": cell.place, "line": 1, "binds": cell.defines}] if cell.reads or cell.defines else []
            continue
        seen = {(_line_of(cell.source, one), one.is_bound) for one in cell.found}
        lines = sorted({line for line, _ in seen})
        found += [{"cell": cell.place, "line": line, "binds": (line, True) in seen} for line in lines]
    return found


def rename(params):
    """New sources. Refuses where the new name is taken, or something would come to mean another."""
    name, new = params["name"], params["to"]
    if not new.isidentifier() or keyword.iskeyword(new) or new.startswith("_"):
        raise NotTheSame(f"`{new}` cannot be a name of the notebook: write a word of letters, digits and _ that begins with a letter")
    cells = _cells(params)
    for cell in cells:
        if re.search(rf"\b{re.escape(new)}\b", cell.source):
            raise NotTheSame(f"cell {cell.place + 1} has the word `{new}` already: choose another")
        for _, _, reason in cell.pins:
            if not reason.endswith(_WANTED) and (cell.found or cell.reads or cell.defines):
                words = reason if reason.startswith("this cell") else f"in cell {cell.place + 1} {reason}"
                raise NotTheSame(f"it must stay: {words}")
    everywhere = [((-1, 0, 0), set())]
    return [change for cell in cells if (change := change_of(cell, name, everywhere, [new]))]


def _cells(params):
    return [Cell(place, given, params["name"]) for place, given in enumerate(params["cells"])]


def _line_of(source, one):
    return one.node.lineno if one.at is None else source.count("\n", 0, one.at) + 1
