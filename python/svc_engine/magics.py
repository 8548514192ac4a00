"""Turns the source of a Jupyter code cell into plain Python: magics and shell lines are translated where Python has words for
them, otherwise they stay as comments that say what they were. Only lines that begin a statement are looked at.
"""

import io
import re
import tokenize

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
        self.translated, self.dropped, self.shells, self.packages, self.warnings = [], [], [], [], []
        self.suppressed = 0
        self.findings = []  # what was changed in which cell

    def convert(self, source, cell):
        """The Python of the code cell that becomes number `cell`; what is changed is noted under that number."""
        lists = {"translated": self.translated, "dropped": self.dropped, "commented": self.shells}
        before = {kind: len(texts) for kind, texts in lists.items()}
        suppressed = self.suppressed
        converted = convert(source, self)
        for kind, texts in lists.items():
            self.findings.extend({"cell": cell, "kind": kind, "text": text} for text in texts[before[kind] :])
        if self.suppressed > suppressed:
            self.findings.append({"cell": cell, "kind": "silenced", "text": ";"})
        return converted

    def install(self, arguments):
        skip = False
        for word in arguments.split():
            if skip:
                skip = False
            elif word in _FLAGS_WITH_VALUE:
                skip = True
            elif not word.startswith("-"):
                self.packages.append(word.strip("'\""))


def convert(source, notes):
    """The Python of a code cell."""
    lines = source.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].lstrip().startswith("%%"):
        return _cell_magic(lines[first].strip(), "\n".join(lines[first + 1 :]), notes)
    hoisted, converted = [], []
    starts = _statement_starts(lines)
    for at, line in enumerate(lines):
        text = line.strip()
        if at in starts and (text.startswith(("%", "!")) or re.match(r"[\w, ]+=\s*[!%]", text)):
            converted.extend(_line(line, text, hoisted, notes))
        else:
            converted.append(line)
    return _without_last_semicolon("\n".join([*hoisted, *converted]), notes)


def _statement_starts(lines):
    """Numbers of the lines on which a statement begins; what cannot be read any more counts as one."""
    # Magics are no Python: they are blanked for the tokenizer, which then knows brackets, strings and continuations.
    plain = [re.sub(r"^(\s*)(?:[%!].*|[\w, ]+=\s*[!%].*)$", r"\1pass", line) for line in lines]
    starts, fresh = set(), True
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(plain) + "\n").readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
                continue
            if token.type == tokenize.NEWLINE:
                fresh = True
            elif fresh:
                starts.add(token.start[0] - 1)
                fresh = False
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return set(range(len(lines)))
    return starts


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
        notes.translated.append(f"%{name} install {rest[len('install') :].strip()}")
        return _or_pass(indent, [])
    if name in ("env", "set_env") and "=" in rest:
        hoisted.append(f"# @env {rest}")
        notes.translated.append(text)
        return _or_pass(indent, [])
    if name in ("time", "timeit"):
        notes.translated.append(f"%{name}")
        while name == "timeit" and _TIMEIT_FLAG.match(rest):
            rest = _TIMEIT_FLAG.sub("", rest)
        return [f"{indent}{rest or 'pass'}"]
    if name == "run" and rest.split():
        notes.translated.append(text)
        return [
            f"{indent}{MARK} {text}",
            f"{indent}from pathlib import Path as _Path; exec(_Path({rest.split()[0]!r}).read_text())",
        ]
    if name in _REMOVED:
        notes.translated.append(f"%{name}")
        return _or_pass(indent, [])
    notes.dropped.append(text)
    return _or_pass(indent, [f"{MARK} {text}"])


def _or_pass(indent, comments):
    """Comments alone are no block: an indented line needs a statement."""
    return [f"{indent}{comment}" for comment in comments] + ([f"{indent}pass"] if indent else [])


def _shell(command, notes):
    install = _INSTALL.match(command)
    if install:
        notes.install(install[1])
        notes.translated.append(f"!{command}")
        return []
    notes.shells.append(f"!{command}")
    return [f"{MARK} !{command}"]


def _assigned(indent, text, notes):
    target, _, call = (part.strip() for part in text.partition("="))
    install = call.startswith("!") and _INSTALL.match(call[1:].strip())
    if install:
        notes.install(install[1])
        notes.translated.append(call)
    else:
        (notes.shells if call.startswith("!") else notes.dropped).append(call)
    return f"{indent}{target} = []  {MARK} {call}"


def _cell_magic(head, body, notes):
    name, _, rest = head[2:].partition(" ")
    if name in _BODY_ONLY:
        notes.translated.append(f"%%{name}")
        return convert(body, notes)
    if name in _WRITES and rest.split():
        notes.translated.append(head)
        path = [word for word in rest.split() if not word.startswith("-")][0]
        return f"from pathlib import Path as _Path\n_Path({path!r}).write_text({body!r})"
    if name in _SHELL_BLOCKS:
        notes.shells.append(f"%%{name}")
        return "\n".join([f"{MARK} {head}", *(f"# {line}" for line in body.split("\n"))])
    notes.dropped.append(head)
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
    notes.suppressed += 1
    row, column = tokens[-1].start
    lines = source.split("\n")
    lines[row - 1] = (lines[row - 1][:column] + lines[row - 1][column + 1 :]).rstrip()
    return "\n".join([*lines, f"{MARK} nothing is shown, as the cell ended with ;", "None"])
