"""What went wrong in a cell, as data: class, message, frames with cell and line, and the text a terminal would show.

The runtime's own frames are hidden. Nothing here may fail, whatever the exception's own methods do.
"""

import linecache
import os
import re
import sys
import traceback

from svc_runtime import lent_lines

MAX_FRAMES = 60
MAX_MESSAGE_CHARACTERS = 10_000
MAX_TEXT_CHARACTERS = 60_000
_OUR_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_CELL_FILE = re.compile(r"<cell (.*)>\Z", re.DOTALL)


def cell_file(cell_id):
    """The file name under which a cell's code is compiled."""
    return f"<cell {cell_id}>"


def remember_source(file, source):
    """Let tracebacks show the lines of a source that lies in no file."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)


def is_ours(file):
    """Whether a frame is the runtime's own, which nobody wants to see."""
    return file.startswith(_OUR_FOLDER)


def describe(problem):
    return {
        "error_type": type(problem).__name__,
        "message": _message(problem)[:MAX_MESSAGE_CHARACTERS],
        "traceback": _frames(problem),
        "text": _text(problem),
    }


def plain(error_type, message):
    """An error without a place in the source."""
    return {"error_type": error_type, "message": message, "traceback": [], "text": f"{error_type}: {message}"}


def _message(problem):
    try:
        if isinstance(problem, SystemExit):
            return f"The cell called sys.exit({problem.code!r}); a cell ends by reaching its last line."
        if type(problem).__name__ == "BdbQuit":
            return "The cell was ended at its breakpoint."
        if isinstance(problem, SyntaxError):
            return str(problem.msg) + _version_of_the_cell(problem)
        if isinstance(problem, FileNotFoundError):
            return str(problem) + _beside_the_notebook(problem)
        return str(problem)
    except BaseException as other:
        return f"<its message could not be read: {type(other).__name__}>"


def _version_of_the_cell(problem):
    """What is no syntax here may be some in a newer Python, and the cell's own analysis may know that one."""
    is_python = type(problem) in (SyntaxError, IndentationError, TabError)
    if not is_python or not isinstance(problem.filename, str) or not _CELL_FILE.match(problem.filename):
        return ""
    return f" (the notebook runs Python {sys.version_info.major}.{sys.version_info.minor})"


def _beside_the_notebook(problem):
    name = problem.filename
    if not isinstance(name, str) or os.path.isabs(name) or not os.path.exists(os.path.join("..", name)):
        return ""
    return f". Cells run in the notebook's work folder; this file lies beside the notebook: read '../{name}'"


def _frames(problem):
    try:
        frames = [place(*found) for found in _places(problem) if not is_ours(found[0])]
    except BaseException:
        return []
    if isinstance(problem, SyntaxError) and problem.lineno is not None and problem.filename is not None:
        frames.append(_syntax_frame(problem))
    half = MAX_FRAMES // 2
    return frames if len(frames) <= MAX_FRAMES else frames[:half] + frames[-half:]


def _places(problem):
    for frame, line in traceback.walk_tb(problem.__traceback__):
        code = frame.f_code
        yield code.co_filename, line, code.co_name


def place(file, line, function):
    """A frame as it is told: by its cell, or by its file."""
    lent = lent_lines.in_cell(file, line)
    if lent:
        return dict(zip(("cell_id", "line", "text"), lent), function=function)
    cell = _CELL_FILE.match(file)
    frame = {
        "cell_id": cell[1] if cell else None,
        "line": line,
        "function": function,
        "text": linecache.getline(file, line or 0).strip(),
    }
    if cell is None:
        frame["file"] = file
    return frame


def _syntax_frame(problem):
    frame = place(problem.filename, problem.lineno, "<module>")
    frame["text"] = (problem.text or frame["text"]).rstrip("\n")
    frame["column"] = problem.offset
    frame["end_column"] = getattr(problem, "end_offset", None)
    return frame


def _text(problem):
    try:
        shown = traceback.TracebackException.from_exception(problem)
        _hide_ours(shown, set())
        text = "".join(shown.format())
    except BaseException:
        text = f"{type(problem).__name__}: {_message(problem)}"
    if len(text) <= MAX_TEXT_CHARACTERS:
        return text
    half = MAX_TEXT_CHARACTERS // 2
    return f"{text[:half]}\n  … {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def _hide_ours(shown, seen):
    if shown is None or id(shown) in seen:
        return
    seen.add(id(shown))
    shown.stack = traceback.StackSummary.from_list(
        [_in_its_cell(frame) for frame in shown.stack if not is_ours(frame.filename)]
    )
    for other in (shown.__cause__, shown.__context__, *(getattr(shown, "exceptions", None) or ())):
        _hide_ours(other, seen)


def _in_its_cell(frame):
    lent = lent_lines.in_cell(frame.filename, frame.lineno)
    if lent is None:
        return frame
    cell_id, line, text = lent
    return traceback.FrameSummary(cell_file(cell_id), line, frame.name, lookup_line=False, line=text)
