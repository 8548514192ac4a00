"""IPython's syntax as plain Python: magics, commands of the shell, `name?`. Analysis and runtime both translate with this, and
only what is no Python as it stands. Each line stays on its line, so that errors point to where they are.
"""

import ast
import io
import re
import symtable
import tokenize

LINE_MAGICS = frozenset(
    "autoreload cd colors conda config env load_ext ls lsmagic mamba matplotlib pdb pinfo pinfo2 pip precision pwd reload_ext"
    " reset run set_env sx system time timeit who who_ls whos xmode".split()
)
SCRIPTS = {"bash": "bash", "sh": "sh", "script": "", "perl": "perl", "ruby": "ruby", "python": "python", "python3": "python3"}
CELL_MAGICS = frozenset({"capture", "file", "html", "latex", "markdown", "svg", "time", "timeit", "writefile", "sx", "system", *SCRIPTS})
_ADVICE = {
    "javascript": "scripts of a cell cannot act on this page. What they draw can be shown: IPython.display.HTML('<script>…</script>')",
    "sql": "make this a SQL cell: its kind is chosen in the cell's menu",
    "R": "make this an R cell: its kind is chosen in the cell's menu",
    "debug": "use *Inspect this failure* below the error, or mark a line and run the cell",
    "store": "variables of a cell are stored anyway; later cells read them by their names",
    "prun": "use cProfile.run(…)",
    "load": "paste the text into the cell",
    "pylab": "import numpy as np, and matplotlib.pyplot as plt",
}
_ADVICE["js"] = _ADVICE["javascript"]
_ANY = "remove it, or write in Python what it does; %lsmagic lists those that work"
_INDENTED = re.compile(r"\s*")
_ASSIGNED = re.compile(r"\s*([\w.,*\[\]'\" ]+?)=\s*([!%])(?!=)(.*)", re.S)
HELP = re.compile(r"\s*(?:(\?{1,2})\s*(%{0,2}[\w.*]+)|(%{0,2}[^\W\d][\w.*]*(?:\[[^\]]*\])?)(\?{1,2}))\s*;?\s*")
PLACE = re.compile(r"\$\{[^{}]*\}|\{\{|\}\}|\{([^{}]+)\}|\$\$|\$([^\W\d]\w*)")  # the first is the shell's own
_TIMEIT_OPTIONS = re.compile(r"\s*(?:-(?:[nrp]\s*\d+|[tcqov]+)(?=\s|$)\s*)*")
_MAX_MAGIC = 100_000  # characters of a line


class UnknownMagic(SyntaxError):
    """A line of IPython that means nothing here; says what to do instead."""

    __module__ = "builtins"


def translate(source):
    """The plain Python of a source; the source itself where it has nothing of IPython's."""
    lines = source.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), None)
    if first is not None and lines[first].lstrip().startswith("%%") and not HELP.fullmatch(lines[first]):
        return "\n".join([*lines[:first], *_cell_magic(lines[first].strip(), lines[first + 1 :], first + 1)])
    return "\n".join(_translated(lines, 0))


def has_special(source):
    """Whether it may hold something of IPython's."""
    return any(len(line) < _MAX_MAGIC and is_special(line) for line in source.split("\n"))


def is_special(line):
    """Whether a line that begins a statement is IPython's and not Python's."""
    return line.lstrip()[:1] in ("%", "!", "?") or bool(_ASSIGNED.fullmatch(line)) or bool(HELP.fullmatch(line))


def statement_starts(lines):
    """Numbers of the lines on which a statement begins; None where they cannot be told."""
    # Lines of IPython are blanked for the tokenizer, which then knows brackets, strings and continuations.
    plain, goes_on = [], False
    for line in lines:
        special = goes_on or (len(line) < _MAX_MAGIC and is_special(line))
        plain.append("" if goes_on else _INDENTED.match(line)[0] + "pass" if special else line)
        goes_on = special and line.endswith("\\")
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
        return None
    return starts


def _translated(lines, above):
    """`above`: so many lines of the cell come before these."""
    starts, translated, at = statement_starts(lines), [], 0
    if starts is None:
        return lines  # broken in some other way, which Python says better
    while at < len(lines):
        line, taken = lines[at], 1
        if at in starts and len(line) < _MAX_MAGIC and is_special(line):
            while line.endswith("\\") and at + taken < len(lines):
                line = line[:-1] + lines[at + taken].strip()
                taken += 1
            line = _line(line, above + at + 1)
        translated += [line, *[""] * (taken - 1)]
        at += taken
    return translated


def _line(line, number):
    indent = _INDENTED.match(line)[0]
    text = line.strip()
    asked = HELP.fullmatch(line)
    if asked:
        subject, marks = (asked[2], asked[1]) if asked[1] else (asked[3], asked[4])
        return indent + _help(subject, "pinfo2" if marks == "??" else "pinfo")
    assigned = None if text[0] in "%!" else _ASSIGNED.fullmatch(line)
    if assigned:
        target, mark, rest = assigned.groups()
        value = _call("getoutput", rest.strip()) if mark == "!" else _magic(rest.strip(), number, line)
        return f"{indent}{target.strip()} = {value}"
    if text.startswith("!!"):
        return indent + _call("getoutput", text[2:].strip())
    if text.startswith("!"):
        return indent + _call("system", text[1:].strip())
    if text.startswith("?"):
        raise _unknown(text, number, line, "write name? for the help of a name")
    if text.startswith("%%"):
        raise _unknown(text.split()[0], number, line, "it stands for the whole cell and belongs in its first line")
    return indent + _magic(text[1:].strip(), number, line)


def _magic(text, number, line):
    name, _, rest = text.partition(" ")
    rest = rest.strip()
    if name not in LINE_MAGICS:
        raise _unknown(f"%{name}", number, line, _ADVICE.get(name, _ANY))
    if name == "time":
        timed = _timed(rest)
        if _parses(timed, "exec") is None:
            raise _unknown("%time", number, line, "it takes one short statement; %%time above all others times the whole cell")
        return timed
    if name == "timeit":
        return _repeated(rest, "")
    if name in ("pinfo", "pinfo2"):
        return _help(rest, name)
    if name in ("sx", "system"):
        return _call("getoutput", rest)
    return _call("run_line_magic", name, rest)


def _timed(text):
    """One line for an expression or a simple statement, which may define names."""
    begin, end = "get_ipython().time_begins()", "get_ipython().time_ends()"
    if _parses(text, "eval"):
        return f"({begin}, ({text}), {end})[1]"
    return f"{begin}; {text}; {end}" if text else f"{begin}; {end}"


def _repeated(line, body):
    """What is timed is run as text; the names that it reads are handed over, where everybody can see them."""
    options = _TIMEIT_OPTIONS.match(line)[0]
    code = line[len(options) :]
    setup, statement = (code, body) if body else ("", code)
    names = "{" + ", ".join(f"{name!r}: {name}" for name in _names_read(f"{setup}\n{statement}")) + "}"
    method = "timeit_cell" if body else "timeit"
    return f"get_ipython().{method}({options.strip()!r}, {setup!r}, {statement!r}, {names})"


def _names_read(text):
    """Those that a function with this body would look for outside of itself."""
    text = "\n".join(_translated(text.split("\n"), 0))
    starts = statement_starts(text.split("\n")) or ()
    body = "\n".join(f" {line}" if at in starts else line for at, line in enumerate(text.split("\n")))
    try:
        pending = [symtable.symtable(f"def timed():\n pass\n{body}", "<timed>", "exec").get_children()[0]]
    except (SyntaxError, ValueError):
        return []  # told when it runs
    names = set()
    while pending:
        table = pending.pop()
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
        pending.extend(table.get_children())
    return sorted(names)


def _help(subject, magic):
    if _parses(subject, "eval"):
        return f"get_ipython().run_line_magic({magic!r}, {subject!r}, lambda: {subject})"
    return f"get_ipython().run_line_magic({magic!r}, {subject!r})"


def _call(method, *texts):
    """A call with these texts; what `{…}` and `$name` in the last of them mean goes along."""
    found = {}
    for place in PLACE.finditer(texts[-1]):
        formatted = place[1] and f"f{place[0]!r}"
        if place[2]:
            found[place[0]] = f"lambda: {place[2]}"
        elif formatted and _is_value(formatted):
            found[place[0]] = f"lambda: {formatted}"
    given = ", {" + ", ".join(f"{text!r}: {value}" for text, value in found.items()) + "}" if found else ""
    return f"get_ipython().{method}({', '.join(map(repr, texts))}{given})"


def _is_value(formatted):
    """`{a,b}` is the shell's, which makes two words of it."""
    tree = _parses(formatted, "eval")
    parts = tree.body.values if tree else []
    return len(parts) == 1 and isinstance(parts[0], ast.FormattedValue) and not isinstance(parts[0].value, ast.Tuple)


def _parses(text, mode):
    try:
        return ast.parse(text, mode=mode) if text.strip() else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _cell_magic(head, body, number):
    name, _, rest = head[2:].strip().partition(" ")
    rest = rest.strip()
    if name not in CELL_MAGICS:
        advice = "write it with one %, before a line" if name in LINE_MAGICS else _ADVICE.get(name, _ANY)
        raise _unknown(f"%%{name}", number, head, advice)
    if name == "time":
        return [f"get_ipython().time_cell(); {rest}".rstrip("; "), *_translated(body, number)]
    if name == "capture":
        words = [word for word in rest.split() if not word.startswith("-")]
        target = f"{words[0]} = " if words and words[0].isidentifier() else ""
        return [f"{target}get_ipython().capture_cell({rest!r})", *_translated(body, number)]
    text = "\n".join(body)
    if name == "timeit":
        return [_repeated(rest, text)]
    if name in SCRIPTS:
        names = dict(re.findall(r"--(out|err)[ =]([^\W\d]\w*)", rest))
        if names:
            return [f"{names.get('out', '_')}, {names.get('err', '_')} = get_ipython().script({name!r}, {rest!r}, {text!r})"]
    return [_call("cell_magic", name, text, rest)]


def _unknown(what, number, line, advice):
    return UnknownMagic(f"{what} does not work here: {advice}", (None, number, 1 + len(_INDENTED.match(line)[0]), line))
