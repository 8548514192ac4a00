"""Takes over the source of a Jupyter code cell. What cells understand of IPython stays as it was written; what installs
packages or sets variables becomes theirs here; the rest stays as a comment that says what it was. Only lines that begin a
statement are looked at.
"""

import functools
import io
import re
import tokenize

from svc_runtime.ipython_syntax import (
    CELL_MAGICS,
    HELP,
    LINE_MAGICS,
    UnknownMagic,
    has_special,
    is_special,
    statement_starts,
    translate,
)

MARK = "# svc import:"

# They change nothing here, or belong to a person at a prompt.
_REMOVED = set(
    "matplotlib load_ext reload_ext autoreload config colors rerun xmode pdb debug tb magic history alias alias_magic".split()
)
_RESULTS = "InteractiveShell.ast_node_interactivity"  # which results the cells below show
# Their bodies are cells of their own.
_WITH_CODE = {"time", "timeit", "capture"}
_INSTALL = re.compile(r"(?:pip3?|python3? -m pip|uv pip|conda)\s+install\s+(.*)", re.S)
_FLAGS_WITH_VALUE = {"-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-e", "-f", "-t"}


class Converted:
    """What became of the cells so far."""

    def __init__(self):
        self.packages, self.warnings = [], []
        self.findings = []  # what was changed in which cell and line, of the cell as it came
        self.cell = self.line = 0

    def convert(self, source, cell):
        """The Python of the code cell that becomes number `cell`; what is changed is noted under that number."""
        self.cell = cell
        return convert(source, self)

    def note(self, kind, text):
        self.findings.append({"cell": self.cell, "line": self.line, "kind": kind, "text": text})

    def texts(self, *kinds):
        return [finding["text"] for finding in self.findings if finding["kind"] in kinds]

    def install(self, arguments):
        skip = False
        for word in arguments.split():
            if skip:
                skip = False
            elif word in _FLAGS_WITH_VALUE:
                skip = True
            elif not word.startswith("-"):
                self.packages.append(word.strip("'\""))


def convert(source, notes, above=0):
    """The Python of a code cell; `above`: so many lines of it were read before."""
    lines = source.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].lstrip().startswith("%%"):
        notes.line = above + first + 1
        return _cell_magic(lines[first].strip(), "\n".join(lines[first + 1 :]), notes)
    if not has_special(source):
        notes.line = above + len(lines)
        _note_last_semicolon(source, notes)
        return source
    hoisted, converted = [], []
    starts = statement_starts(lines)
    for at, line in _joined(lines, starts):
        text = line.strip()
        notes.line = above + at + 1
        asked = HELP.fullmatch(line) if starts is None or at in starts else None
        if starts is not None and at not in starts:
            converted.append(line)
        elif asked:
            notes.note("kept", text)
            converted.append(line)
        elif text.startswith(("%", "!")) or re.match(r"[\w, ]+=\s*[!%]", text):
            converted.extend(_line(line, text, hoisted, notes))
        else:
            converted.append(line)
    taken = "\n".join([*hoisted, *converted])
    _note_last_semicolon(taken, notes)
    return taken


def _joined(lines, starts):
    """Numbered lines; a magic that goes on after a backslash is one."""
    pending = iter(enumerate(lines))
    for at, line in pending:
        while (starts is None or at in starts) and is_special(line) and line.endswith("\\"):
            line = line[:-1] + next(pending, (0, ""))[1].strip()
        yield at, line


def _line(line, text, hoisted, notes):
    indent = line[: len(line) - len(line.lstrip())]
    assigned = re.match(r"[\w, ]+=\s*([!%])(.*)", text)
    if assigned:
        return [_assigned(line, assigned[1], assigned[2].strip(), notes)]
    if text.startswith("!"):
        return _shell(line, text.lstrip("!").strip(), indent, notes)
    name, _, rest = text[1:].partition(" ")
    rest = rest.strip()
    if name in ("pip", "conda") and rest.startswith("install"):
        notes.install(rest[len("install") :])
        notes.note("translated", f"%{name} install {rest[len('install') :].strip()}")
        return _or_pass(indent, [])
    if name in ("env", "set_env") and "=" in rest:
        hoisted.append(f"# @env {rest}")
        notes.note("translated", text)
        return _or_pass(indent, [])
    if name in _REMOVED and not rest.startswith(_RESULTS):
        notes.note("translated", f"%{name}")
        return _or_pass(indent, [])
    if name == "pylab":
        notes.note("translated", text)
        star = [] if "--no-import-all" in rest else [f"{indent}from pylab import *"]
        return [f"{indent}import numpy as np, matplotlib.pyplot as plt", *star]
    if name in LINE_MAGICS:
        notes.note("kept", f"%{name}")
        return [line]
    notes.note("dropped", text)
    return _or_pass(indent, [f"{MARK} {text}"])


def _or_pass(indent, comments):
    """Comments alone are no block: an indented line needs a statement."""
    return [f"{indent}{comment}" for comment in comments] + ([f"{indent}pass"] if indent else [])


def _shell(line, command, indent, notes):
    install = _INSTALL.match(command)
    if install:
        notes.install(install[1])
        notes.note("translated", f"!{command}")
        return _or_pass(indent, [])
    notes.note("kept", f"!{command}")
    return [line]


def _assigned(line, mark, call, notes):
    install = mark == "!" and _INSTALL.match(call)
    if install:
        notes.install(install[1])
        notes.note("translated", f"!{call}")
    elif mark == "!" or call.partition(" ")[0] in LINE_MAGICS:
        notes.note("kept", f"{mark}{call}")
        return line
    else:
        notes.note("dropped", f"{mark}{call}")
    return f"{line[: line.index('=')].rstrip()} = []  {MARK} {mark}{call}"


def _cell_magic(head, body, notes):
    name = head[2:].partition(" ")[0]
    if name in _WITH_CODE:
        notes.note("kept", f"%%{name}")
        return f"{head}\n{convert(body, notes, notes.line)}"
    if name in CELL_MAGICS:
        notes.note("kept", f"%%{name}")
        return f"{head}\n{body}"
    notes.note("dropped", head)
    return f"{MARK} {head} (its body is not Python and was left out)"


@functools.cache  # until the import is over (`cell_trees.py`): each room of it reads each cell
def plain(source):
    """What a source means in Python, line by line; as it is where that cannot be told."""
    try:
        return translate(source) if has_special(source) else source
    except UnknownMagic:
        return source


def _note_last_semicolon(source, notes):
    """A cell that ends with `;` shows nothing, there and here."""
    if ";" not in source:
        return
    try:
        tokens = [
            token
            for token in tokenize.generate_tokens(io.StringIO(plain(source) + "\n").readline)
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            and token.type != tokenize.ENDMARKER
        ]
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return
    if tokens and tokens[-1].string == ";":
        notes.note("silenced", ";")
