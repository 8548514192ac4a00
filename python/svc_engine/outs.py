"""`_`, `_3` and `Out[3]` of a Jupyter notebook: replaced by the value that they meant, where the numbers of its cells say which
that was. What cannot be known is a warning.
"""

import ast
import re

from svc_engine.cell_trees import cell_tree
from svc_engine.magics import plain

_LAST = re.compile(r"_{1,3}")
_NUMBERED = re.compile(r"_(\d+)")
_KEPT_TEXT = re.compile(r"_i\d+|In|_ih|_oh")  # what was typed, and the table as a whole


class Cell:
    """A Python cell: its place among all cells, its number when it ran, whether it showed a value or failed."""

    def __init__(self, place, found, came):
        self.place, self.found = place, found
        count = came.get("execution_count", came.get("prompt_number"))
        self.count = count if type(count) is int else None
        self.text = found["source"]
        outputs = came.get("outputs") if isinstance(came.get("outputs"), list) else []
        kinds = {output.get("output_type") for output in outputs if isinstance(output, dict)}
        self.showed = bool(kinds & {"execute_result", "pyout"})
        metadata = came.get("metadata") if isinstance(came.get("metadata"), dict) else {}
        self.failed = bool(kinds & {"error", "pyerr"}) or "raises-exception" in (metadata.get("tags") or [])


def _number(cells):
    """A notebook that was never run, or was cleared: its cells will be run in their order."""
    if any(cell.count is not None for cell in cells):
        return
    for count, cell in enumerate(cells, 1):
        last = cell_tree(cell.text).body[-1:]
        cell.count, cell.showed = count, bool(last) and isinstance(last[0], ast.Expr) and not _prints(last[0].value)


def _prints(value):
    """What gives nothing back to show."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("print", "display", "help", "exec")


def resolve(cells, notes):
    _number(cells)
    own = [_bound(cell_tree(cell.found["source"]).nodes) for cell in cells]
    bound = set().union(*own) - {"_", "__", "___"}
    for cell, bound_here in zip(cells, own):
        replaced = []
        for node, asked in _asked(cell_tree(cell.found["source"]).nodes, bound_here | bound):
            name = _meant(asked, cell, cells)
            notes.cell, notes.line = cell.place, node.lineno
            text = asked if isinstance(asked, str) else f"Out[{asked}]"
            if name is None:
                notes.warnings.append(f"Cell {cell.place + 1} reads {text}, which only Jupyter keeps: give the value a name.")
            else:
                notes.note("translated", text)
                replaced.append((node, name))
        cell.found["source"] = _with(cell.found["source"], replaced)


def _bound(nodes):
    names = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return names


def _asked(nodes, bound):
    """Places with what they ask for: the number of a cell, or the name."""
    numbered = {}
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in ("Out", "_oh"):
            numbered[node.value] = node
    for node in nodes:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id in bound:
            continue
        found = _NUMBERED.fullmatch(node.id)
        index = numbered.get(node) and numbered[node].slice
        if isinstance(index, ast.Constant) and type(index.value) is int:
            yield numbered[node], index.value
        elif found:
            yield node, int(found[1])
        elif node.id == "Out" or _LAST.fullmatch(node.id) or _KEPT_TEXT.fullmatch(node.id):
            yield node, node.id


def _meant(asked, reader, cells):
    """A name for the value: that of the variable which the cell ended with, or one that its last line gets."""
    if isinstance(asked, int):
        found = [cell for cell in cells if cell.count == asked]
    elif _LAST.fullmatch(asked) and reader.count is not None:
        before = [cell for cell in cells if cell.showed and cell.count is not None and cell.count < reader.count]
        found = sorted(before, key=lambda cell: cell.count)[-len(asked) :][:1] if len(before) >= len(asked) else []
    else:
        found = []
    if len(found) != 1 or found[0].place >= reader.place:
        return None
    source = found[0].found["source"]
    body = cell_tree(source).body
    if not body or not isinstance(body[-1], ast.Expr) or isinstance(body[-1].value, ast.Constant):
        return None
    if not all(_as_written(source)[body[-1].lineno - 1 : body[-1].end_lineno]):
        return None
    if isinstance(body[-1].value, ast.Name):
        return body[-1].value.id
    return _named(found[0], body[-1], f"out_{found[0].count}")


def _named(cell, last, name):
    lines = cell.found["source"].rstrip("\n").encode().split(b"\n")
    line = lines[last.lineno - 1]
    lines[last.lineno - 1] = line[: last.col_offset] + f"{name} = ".encode() + line[last.col_offset :]
    cell.found["source"] = b"\n".join([*lines, name.encode()]).decode() + "\n"
    return name


def _as_written(source):
    """Of each line whether it is Python: one of IPython's means another line, with other places."""
    return [line == meant for line, meant in zip(source.split("\n"), plain(source).split("\n"), strict=False)]


def _with(source, replaced):
    lines = source.encode().split(b"\n")
    as_written = _as_written(source)
    for node, name in sorted(replaced, key=lambda pair: (pair[0].lineno, pair[0].col_offset), reverse=True):
        line = lines[node.lineno - 1]
        if node.lineno == node.end_lineno and as_written[node.lineno - 1]:
            lines[node.lineno - 1] = line[: node.col_offset] + name.encode() + line[node.end_col_offset :]
    return b"\n".join(lines).decode()
