"""*Make it explicit*: edits after which each definition of a name has a name of its own, and every cell reads what it read before.

The cells are read as one sequence of statements. A statement that certainly gives the name anew begins a step; what runs after it
gets the step's name. A step is left out where something that still means the old name would come to mean another: a function
that is called on both sides of it, text that names it, a cell of a language that is not read here. What is left out is told.
"""

import ast
import re
from bisect import bisect_left

from svc_engine.carried import MARK
from svc_engine.explicit.called import Statement, calls_of
from svc_engine.explicit.occurrences import Finder
from svc_engine.explicit.steps import first_step, is_plain
from svc_engine.magics import plain
from svc_runtime.ipython_syntax import PLACE

_END = float("inf")
_PARSE = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_QUOTED = re.compile(r"(['\"])(?:\\.|(?!\1).)*\1")


class Cell:
    """A cell, and where it means the name. Cells that are not Python come with what they read and define."""

    def __init__(self, place, given, name):
        self.place, self.given, self.name = place, given, name
        self.source = given["source"]
        self.is_python = given["language"] == "python"
        self.reads, self.defines = name in given["reads"], name in given["defines"]
        self.pins = [(0, False, given["fixed"])] if given.get("fixed") else []
        self.found, self.body, self.special = [], [], set()
        if not self.is_python:
            return
        text = plain(self.source)
        self.special = _special_lines(self.source, text)
        try:
            tree = compile(text, "<cell>", "exec", flags=_PARSE, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            if re.search(rf"\b{re.escape(name)}\b", self.source):
                self.pins.append((0, False, "this cell cannot be read; mend it first"))
            return
        self.body = tree.body
        finder = Finder(name, self.source, self.special).look(tree)
        self.found = finder.found
        self.pins += finder.pins
        for number in {one.statement for one in self.found if one.at is None}:
            if not _is_editable(self.source, self.body[number], name):
                self.pins.append((number, False, "a line of IPython names it where it cannot be replaced"))

    @property
    def binds(self):
        return self.defines or any(one.is_bound for one in self.found)

    def statements(self):
        if self.is_python:
            return [Statement(self.place, number, node) for number, node in enumerate(self.body)]
        return [Statement(self.place, 0, None, self.given["reads"], self.given["defines"])]

    def step(self):
        """(statement, nodes that mean the new value, whether it reads before it binds)."""
        if not self.is_python:
            return (0, set(), True) if self.defines else None

        lines = self.source.split("\n")

        def may_be(number):
            if MARK in lines[self.body[number].end_lineno - 1]:
                return False  # hands on what is changed in place: the same name
            here = [one for one in self.found if one.statement == number]
            return all(one.at is not None for one in here) or not any(isinstance(one.node, ast.Name) and not one.is_bound for one in here)

        found = first_step(self.name, self.body, may_be)
        return found and (*found, is_plain(self.body[found[0]]))


def make_explicit(params):
    name = params["name"]
    cells = [Cell(place, given, name) for place, given in enumerate(params["cells"])]
    candidates = _candidates(cells)
    kept = _left_out(cells, candidates)
    steps = [candidate for candidate in candidates if candidate[0] not in kept]
    names = _new_names(name, len(steps), params["cells"])
    return {
        "steps": [{"cell": place[0], "name": new} for (place, _), new in zip(steps, names)],
        "kept": [{"cell": place[0], "reason": reason} for place, reason in sorted(kept.items())],
        "cells": [change for cell in cells if (change := change_of(cell, name, steps, names))],
    }


def _candidates(cells):
    """((cell, statement, after), nodes of the new value) of each definition below the first."""
    found, is_first = [], True
    for cell in cells:
        step = cell.step() if not is_first and cell.binds else None
        if step:
            number, new, reads_first = step
            found.append(((cell.place, number, 0.5 if reads_first else 0), new))
        is_first = is_first and not cell.binds
    return found


def _left_out(cells, candidates):
    """The candidates that would change what something means, with the reason."""
    left = {}

    def leave(first, last, reason):
        for place, _ in candidates:
            if first <= place <= last:
                left.setdefault(place, reason)

    for cell in cells:
        for number, deferred, reason in cell.pins:
            words = reason if reason.startswith("this cell") else f"in cell {cell.place + 1} {reason}"
            leave((0, 0, 0), (_END,) if deferred else (cell.place, number, 1), words)
    statements = [statement for cell in cells for statement in cell.statements()]
    for statement in statements:
        cell = cells[statement.cell]
        if not any(one.deferred and one.statement == statement.number for one in cell.found):
            continue
        places = calls_of(statement, statements)
        held = statement.node.name if statement.is_definition else next(iter(sorted(statement.binds)), None)
        reason = f"`{held}` of cell {cell.place + 1} reads it when it is called" if held else "it is read later"
        own = (statement.cell, _END, 0)
        first = statement.place if places is None else min([own, *places])
        leave(first, (_END,) if places is None else max([own, *((*place[:2], 0.4) for place in places)]), reason)
    return left


def _new_names(name, count, cells):
    """`df_2`, `df_3`, …: words that no cell has."""
    words = {word for cell in cells for word in re.findall(r"\w+", cell["source"] + " " + cell.get("tests", ""))}
    found, number = [], 1
    while len(found) < count:
        number += 1
        if f"{name}_{number}" not in words:
            found.append(f"{name}_{number}")
    return found


def change_of(cell, name, steps, names):
    """The cell with the names that hold at each of its places; None where none is another."""
    places = [place for place, _ in steps]
    names = [name, *names]

    def name_at(place):
        return names[bisect_left(places, place)]

    end = name_at((cell.place, _END, 0))
    if not cell.is_python:
        reads = name_at((cell.place, 0, 0))
        same = (not cell.reads or reads == name) and (not cell.defines or end == name)
        told = {"reads": reads if cell.reads else None, "defines": end if cell.defines else None}
        return None if same else {"cell": cell.place, "source": None, **told}
    new_nodes = next((new for place, new in steps if place[0] == cell.place), set())
    edits, lines = [], {}
    for one in cell.found:
        before, after = name_at((cell.place, one.statement, 0)), name_at((cell.place, one.statement, 1))
        meant = end if one.deferred else after if one.node in new_nodes or before == after else before
        if meant == name:
            continue
        if one.at is None:
            lines[one.node.lineno] = meant
        else:
            edits.append((one.at, one.length, one.text.format(meant)))
    if not edits and not lines:
        return None
    source = cell.source
    for at, length, text in sorted(set(edits), reverse=True):
        source = source[:at] + text + source[at + length :]
    source = _with_special(source, lines, name)
    _check(cell, source, name, names)
    return {"cell": cell.place, "source": source, "reads": None, "defines": None}


def _special_lines(source, text):
    """Numbers of the lines that IPython writes otherwise than Python."""
    ours, theirs = source.split("\n"), text.split("\n")
    return {number + 1 for number, line in enumerate(ours) if number >= len(theirs) or theirs[number] != line}


def _is_editable(source, statement, name):
    """A line of IPython can be edited when each time the word stands there it is the name."""
    lines = source.split("\n")
    line = lines[statement.lineno - 1]
    if line.lstrip().startswith("%%") or line.endswith("\\"):
        return False
    if _shell_part(line) is not None:
        return True
    bare = _QUOTED.sub("", line)
    word = re.escape(name)
    quoted = " ".join(found[0] for found in _QUOTED.finditer(line))
    is_other = re.search(rf"[(,]\s*{word}\s*=[^=]|\.\s*{word}\b|\blambda\b|\bfor\b", bare) or re.search(rf"\b{word}\b", quoted)
    return not is_other


def _shell_part(line):
    """What stands before the command, and the command; None for a line that runs none."""
    return re.match(r"(\s*(?:[\w.,*\[\]'\" ]+?=\s*)?!{1,2})(.*)", line)


def _with_special(source, lines, name):
    word = re.compile(rf"(?<![\w.]){re.escape(name)}\b")
    rows = source.split("\n")
    for number, meant in lines.items():
        shell = _shell_part(rows[number - 1])
        if shell:
            target = word.sub(meant, shell[1])
            rows[number - 1] = target + PLACE.sub(lambda place: word.sub(meant, place[0]), shell[2])
        else:
            rows[number - 1] = word.sub(meant, rows[number - 1])
    return "\n".join(rows)


class NotTheSame(ValueError):
    pass


def _check(cell, source, name, names):
    """What was written means the same with the names taken back, and says the same texts."""
    before, after = _tree(cell.source), _tree(source)
    texts = [_texts(tree, cell.special) for tree in (before, after)]
    back = re.sub(rf"\b({'|'.join(map(re.escape, names[1:]))})\b", name, _dump(after))
    if back != _dump(before) or not _same_texts(*texts, names):
        raise NotTheSame(f"cell {cell.place + 1} could not be edited without changing what it means; rename `{name}` there by hand")


def _tree(source):
    return compile(plain(source), "<cell>", "exec", flags=_PARSE, dont_inherit=True)


def _dump(tree):
    """Without the names that imports are given: `import a` and `import a as a_2` are the same import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and node.asname is None:
            node.asname = node.name.partition(".")[0]
    return ast.dump(tree)


def _texts(tree, special):
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno not in special
    ]


def _same_texts(before, after, names):
    """But for the names behind an @ in queries."""
    as_before = re.compile(rf"@(?:{'|'.join(map(re.escape, names))})\b")
    return [as_before.sub("@", text) for text in before] == [as_before.sub("@", text) for text in after]
