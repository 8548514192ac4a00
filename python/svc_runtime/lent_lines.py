"""Functions and classes of other cells run as modules of their declarations (`values/cell_code.py`). Here the lines of such a module
are found again in the cell that people see, as long as the cell still has them.
"""

import ast
import linecache
import re

from svc_runtime import code_lines

_MODULE_FILE = re.compile(r"<module cell_(.*)>\Z", re.DOTALL)
_lenders = {}  # cell -> its source, and the lines of it to stop at
_found = {}  # cell -> line of its module -> line of the cell


def begin(lenders):
    """For a job: the cells above it that lend code."""
    _lenders.clear()
    _lenders.update(lenders)
    _found.clear()


def module_file(module_name):
    """The file name under which the declarations of a cell are compiled."""
    return f"<module {module_name}>"


def in_cell(file, line):
    """The cell, its line and the text there; None for a file that is no such module, or a line that its cell has no more."""
    module = _MODULE_FILE.match(file)
    if module is None or module[1] not in _lenders:
        return None
    at = _lines_of(module[1]).get(line)
    return at and (module[1], at, _lenders[module[1]]["source"].splitlines()[at - 1].strip())


def to_stop_at():
    """Lines that were marked in cells whose declarations were loaded, as (file, line) of these."""
    return [(_file_of(cell), line) for cell, lender in _lenders.items() if lender["stops_at"] for line in _stops(cell, lender)]


def _stops(cell, lender):
    lines = _lines_of(cell)
    if not lines:
        return []
    doing = code_lines.that_do(compile(_module_source(cell), _file_of(cell), "exec", dont_inherit=True))
    wanted = set(code_lines.first_from(lender["stops_at"], {lines[line] for line in doing if line in lines}))
    return sorted(line for line in doing if lines.get(line) in wanted)


def _file_of(cell):
    return module_file(f"cell_{cell}")


def _module_source(cell):
    return "".join(linecache.cache[_file_of(cell)][2]) if _file_of(cell) in linecache.cache else ""


def _lines_of(cell):
    if cell not in _found:
        try:
            _found[cell] = _matched(ast.parse(_module_source(cell)).body, ast.parse(_lenders[cell]["source"]).body)
        except (SyntaxError, ValueError):
            _found[cell] = {}
    return _found[cell]


def _matched(declarations, statements):
    """A module has some of the cell's statements in their order, perhaps written otherwise."""
    lines = {}
    rest = iter(statements)
    for declaration in declarations:
        meaning = ast.dump(declaration)
        twin = next((statement for statement in rest if ast.dump(statement) == meaning), None)
        if twin is None:
            return {}
        for here, there in zip(ast.walk(declaration), ast.walk(twin)):
            if hasattr(here, "lineno"):
                lines.setdefault(here.lineno, there.lineno)
    return lines
