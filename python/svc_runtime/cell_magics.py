"""Magics that take a whole cell as text: programs that read it, a file that is written, forms that are shown."""

import os
import shlex
import subprocess
import sys

from svc_runtime import displays, programs
from svc_runtime.ipython_display import Bundle
from svc_runtime.ipython_syntax import SCRIPTS

_FLAGS = ("--no-raise-error", "--bg")


def _program(name, line):
    """Words of the program, and whether it may fail."""
    words, kept, skip = shlex.split(line), [], False
    for word in words:
        if skip or word in _FLAGS or word.startswith(("--out", "--err", "--proc")):
            skip = not skip and word in ("--out", "--err", "--proc")
            continue
        kept.append(word)
    first = sys.executable if SCRIPTS[name].startswith("python") else SCRIPTS[name]
    program = [first, *kept] if first else kept
    if not program:
        raise ValueError("%%script needs the name of a program: %%script bash")
    return program, "--no-raise-error" in words


def run_script(name, line, body):
    program, may_fail = _program(name, line)
    status = programs.run(program, f"{body}\n")
    if status and not may_fail:
        raise subprocess.CalledProcessError(status, shlex.join(program))


def output_of_script(name, line, body):
    program, may_fail = _program(name, line)
    out, err, status = programs.output(program, f"{body}\n")
    if status and not may_fail:
        sys.stderr.write(err)
        raise subprocess.CalledProcessError(status, shlex.join(program), out, err)
    return out, err


def _write_file(line, body):
    words = shlex.split(line)
    names = [word for word in words if word not in ("-a", "--append")]
    if len(names) != 1:
        raise ValueError("%%writefile needs the name of one file: %%writefile [-a] notes.txt")
    appends, path = len(words) > 1, os.path.expanduser(names[0])
    print(f"{'Appending to' if appends else 'Overwriting' if os.path.exists(path) else 'Writing'} {path}")
    with open(path, "a" if appends else "w", encoding="utf-8") as file:
        file.write(f"{body}\n" if not body.endswith("\n") else body)


def _shown_as(mime):
    return lambda line, body: displays.show([Bundle({mime: body})])


def _lines_of(line, body):
    out, err, _ = programs.output(body)
    sys.stderr.write(err)
    return programs.Lines(out.splitlines())


BY_NAME = {
    "file": _write_file,
    "html": _shown_as("text/html"),
    "latex": _shown_as("text/latex"),
    "markdown": _shown_as("text/markdown"),
    "svg": _shown_as("image/svg+xml"),
    "sx": _lines_of,
    "system": _lines_of,
    "writefile": _write_file,
}
