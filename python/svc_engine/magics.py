"""Turns the source of a Jupyter code cell into plain Python: magics and shell lines are translated where Python has words for
them, otherwise they stay as comments that say what they were. Only lines that begin a statement are looked at.
"""

import io
import re
import tokenize

from svc_runtime.ipython_syntax import HELP, is_special, statement_starts

MARK = "# svc import:"

_REMOVED = set(
    "matplotlib load_ext reload_ext autoreload config colors rerun capture xmode pdb debug tb who who_ls whos lsmagic magic "
    "history alias alias_magic".split()
)
_BODY_ONLY = {"time", "timeit", "capture"}
_SHELL_BLOCKS = {"bash", "sh", "script"}
_WRITES = {"writefile", "file"}
_INSTALL = re.compile(r"(?:pip3?|python3? -m pip|uv pip|conda)\s+install\s+(.*)", re.S)
_FLAGS_WITH_VALUE = {"-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-e", "-f", "-t"}
_TIMEIT_FLAG = re.compile(r"^(?:-(?:[nr]\s*\d+|[tcpqo](?:\s*\d+)?))\s+")


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

    def texts(self, kind):
        return [finding["text"] for finding in self.findings if finding["kind"] == kind]

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
    hoisted, converted = [], []
    starts = statement_starts(lines)
    for at, line in _joined(lines, starts):
        text = line.strip()
        notes.line = above + at + 1
        asked = HELP.fullmatch(line) if starts is None or at in starts else None
        if starts is not None and at not in starts:
            converted.append(line)
        elif asked:
            converted.extend(_help(line, asked[2] or asked[3], notes))
        elif text.startswith(("%", "!")) or re.match(r"[\w, ]+=\s*[!%]", text):
            converted.extend(_line(line, text, hoisted, notes))
        else:
            converted.append(line)
    return _without_last_semicolon("\n".join([*hoisted, *converted]), notes)


def _joined(lines, starts):
    """Numbered lines; a magic that goes on after a backslash is one."""
    pending = iter(enumerate(lines))
    for at, line in pending:
        while (starts is None or at in starts) and is_special(line) and line.endswith("\\"):
            line = line[:-1] + next(pending, (0, ""))[1].strip()
        yield at, line


def _help(line, subject, notes):
    indent = line[: len(line) - len(line.lstrip())]
    if all(part.isidentifier() for part in subject.split(".")):
        notes.note("translated", line.strip())
        return [f"{indent}help({subject})"]
    notes.note("dropped", line.strip())
    return _or_pass(indent, [f"{MARK} {line.strip()}"])


def _line(line, text, hoisted, notes):
    indent = line[: len(line) - len(line.lstrip())]
    if re.match(r"[\w, ]+=\s*[!%]", text):
        return [_assigned(indent, text, notes)]
    if text.startswith("!"):
        return _or_pass(indent, _shell(text[1:].strip(), notes))
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
    if name in ("time", "timeit"):
        notes.note("translated", f"%{name}")
        while name == "timeit" and _TIMEIT_FLAG.match(rest):
            rest = _TIMEIT_FLAG.sub("", rest)
        return [f"{indent}{rest or 'pass'}"]
    if name == "run" and rest.split():
        notes.note("translated", text)
        return [
            f"{indent}{MARK} {text}",
            f"{indent}from pathlib import Path as _Path; exec(_Path({rest.split()[0]!r}).read_text())",
        ]
    if name in _REMOVED:
        notes.note("translated", f"%{name}")
        return _or_pass(indent, [])
    notes.note("dropped", text)
    return _or_pass(indent, [f"{MARK} {text}"])


def _or_pass(indent, comments):
    """Comments alone are no block: an indented line needs a statement."""
    return [f"{indent}{comment}" for comment in comments] + ([f"{indent}pass"] if indent else [])


def _shell(command, notes):
    install = _INSTALL.match(command)
    if install:
        notes.install(install[1])
        notes.note("translated", f"!{command}")
        return []
    notes.note("commented", f"!{command}")
    return [f"{MARK} !{command}"]


def _assigned(indent, text, notes):
    target, _, call = (part.strip() for part in text.partition("="))
    install = call.startswith("!") and _INSTALL.match(call[1:].strip())
    if install:
        notes.install(install[1])
        notes.note("translated", call)
    else:
        notes.note("commented" if call.startswith("!") else "dropped", call)
    return f"{indent}{target} = []  {MARK} {call}"


def _cell_magic(head, body, notes):
    name, _, rest = head[2:].partition(" ")
    if name in _BODY_ONLY:
        notes.note("translated", f"%%{name}")
        kept = [word for word in rest.split() if name == "capture" and word.isidentifier()]
        if kept:
            notes.warnings.append(f"What cell {notes.cell + 1} prints is not kept as {kept[0]}: %%capture was taken away.")
        return convert(body, notes, notes.line)
    paths = [word for word in rest.split() if not word.startswith("-")]
    if name in _WRITES and paths:
        notes.note("translated", head)
        if len(paths) < len(rest.split()):  # -a
            return f"with open({paths[0]!r}, 'a') as _file:\n    _file.write({body!r})"
        return f"from pathlib import Path as _Path\n_Path({paths[0]!r}).write_text({body!r})"
    if name in _SHELL_BLOCKS:
        notes.note("commented", f"%%{name}")
        return "\n".join([f"{MARK} {head}", *(f"# {line}" for line in body.split("\n"))])
    notes.note("dropped", head)
    return f"{MARK} {head} (its body is not Python and was left out)"


def _without_last_semicolon(source, notes):
    """Jupyter shows nothing for a cell that ends with `;`."""
    tokens = []
    try:
        tokens = [
            token
            for token in tokenize.generate_tokens(io.StringIO(source + "\n").readline)
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            and token.type != tokenize.ENDMARKER
        ]
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return source
    if not tokens or tokens[-1].string != ";":
        return source
    row, column = tokens[-1].start
    notes.note("silenced", ";")
    lines = source.split("\n")
    lines[row - 1] = (lines[row - 1][:column] + lines[row - 1][column + 1 :]).rstrip()
    return "\n".join([*lines, f"{MARK} nothing is shown, as the cell ended with ;", "None"])
