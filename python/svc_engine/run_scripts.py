"""`%run helpers.py` gives its names to all cells of a Jupyter notebook. Which ones only the script knows; so the cell that runs it
says those that cells below read: `load, clean = load, clean`. Scripts lie beside the notebook, or a cell above writes them.
"""

import re

from svc_engine.cell_trees import cell_names

MARK = "# svc import: made by the script"
_RUN = re.compile(r"^%run\s+(?:-\w+\s+)*['\"]?([\w./\\ -]+?\.py|[\w./\\-]+)['\"]?(?:\s.*)?$")
_WRITE = re.compile(r"^%%(?:writefile|file)\s+(?:-a\s+)?['\"]?([\w./\\ -]+?)['\"]?\s*\n", re.M)


def name_results(cells, beside, notes):
    """`cells`: those of Python, as (place, cell), in their order; `beside`: texts of modules, by path."""
    scripts = dict(beside)
    for at, (place, cell) in enumerate(cells):
        written = _WRITE.match(cell["source"].lstrip())
        if written:
            scripts[_tidied(written[1])] = cell["source"].lstrip()[written.end() :]
        lines = cell["source"].split("\n")
        for row in reversed(range(len(lines))):
            script = scripts.get(_script_of(lines[row]))
            names = [] if script is None else _read_below(script, cells[at + 1 :])
            if names:
                line = f"{', '.join(names)} = {', '.join(names)}"
                lines.insert(row + 1, f"{line}  {MARK}")
                notes.findings.append({"cell": place, "line": row + 1, "kind": "translated", "text": line})
        cell["source"] = "\n".join(lines)


def _script_of(line):
    found = _RUN.match(line)
    if found is None:
        return None
    path = _tidied(found[1])
    return path if path.endswith(".py") else f"{path}.py"


def _tidied(path):
    return path.strip().replace("\\", "/").removeprefix("./")


def _read_below(script, cells):
    """Names that the script makes and cells below read."""
    made = [name for name in cell_names(script)["defines"] if not name.startswith("_")]
    read = {name for _, cell in cells for name in cell_names(cell["source"])["references"]}
    return sorted(name for name in made if name in read)
