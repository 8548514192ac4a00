"""Names that several cells give to values, and which of them each cell reads: that of the nearest cell above."""

import ast

from svc_engine.carried import MARK
from svc_engine.cell_trees import cell_names, cell_tree

_ROOM = 200  # names that are told


def ambiguous_names(params):
    """By name, the cells that define or read it. A module that many cells import is one thing; so is what a cell changes in place."""
    cells = [_facts(cell) for cell in params["cells"]]
    makers = {}
    for place, (defines, _, _) in enumerate(cells):
        for name in defines:
            makers.setdefault(name, []).append(place)
    found = []
    for name in sorted((name for name, places in makers.items() if len(places) > 1), key=lambda one: (makers[one][1], one)):
        uses, last = [], None
        for place, (defines, changes, reads) in enumerate(cells):
            if name in defines or name in reads:
                uses.append({"cell": place, "defines": name in defines, "reads": last if name in reads else None})
            if name in defines or name in changes:
                last = place
        found.append({"name": name, "cells": uses})
    return found[:_ROOM]


def _facts(cell):
    """(names it gives to something new, names it changes, names it reads)."""
    if cell["language"] != "python":
        fixed = set() if cell.get("variant") else set(cell["defines"])
        return fixed, set(cell["defines"]), set(cell["reads"])
    known = cell_names(cell["source"])
    defines = set(known["defines"])
    reads = {*known["references"], *known["builtinReferences"], *known["discardedReads"]}
    anew = _given_anew(cell["source"], known)
    return (set() if cell.get("variant") else anew), defines, reads


def _given_anew(source, known):
    """Without lines that hand on what is changed in place."""
    if MARK in source:
        source = "\n".join(line for line in source.split("\n") if MARK not in line)
        known = cell_names(source)
    return set(known["defines"]) - set(known["mutationDefines"]) - _imported(source)


def _imported(source):
    """Names that a cell binds by imports alone."""
    imported, others = set(), set()
    for node in cell_tree(source).nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imported |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            others.add(node.name)
    return imported - others
