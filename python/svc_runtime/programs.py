"""Programs that a cell starts by `!command` or `%%bash`: what they write is shown as it comes."""

import subprocess
import sys
import threading


class Lines(list):
    """The lines that a command wrote, with the names that IPython gives to its list: `.s`, `.n`, `.grep`, `.fields`."""

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)

    @property
    def l(self):  # noqa: E743 (IPython's name)
        return self

    list, nlstr, spstr = l, n, s

    def _repr_json_(self):
        return [*self]

    def grep(self, pattern, prune=False):
        import re

        matches = pattern if callable(pattern) else lambda line: re.search(pattern, line, re.IGNORECASE)
        return Lines(line for line in self if bool(matches(line)) != prune)

    def fields(self, *places):
        parted = (line.split() for line in self)
        if not places:
            return [words for words in parted if words]
        return Lines(" ".join(words[at] for at in places if -len(words) <= at < len(words)) for words in parted)


def run(command, text=None):
    """Run a command of the shell, or a program given by its words; its exit status. `text`: what it reads."""
    with _started(command, text) as process:
        threads = [
            threading.Thread(target=_pass_on, args=(stream, name), daemon=True)
            for name, stream in (("stdout", process.stdout), ("stderr", process.stderr))
            if stream is not None
        ]
        for thread in threads:
            thread.start()
        _feed(process, text)
        for thread in threads:
            thread.join()
    return process.returncode


def output(command, text=None):
    """What a command wrote, after it has ended: its output, its errors, its exit status."""
    done = subprocess.run(
        command, shell=isinstance(command, str), input=text or "", capture_output=True, text=True, errors="replace"
    )
    return done.stdout, done.stderr, done.returncode


def _started(command, text):
    """A stream of ours that nobody has replaced is handed over as it is."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return subprocess.Popen(
        command,
        shell=isinstance(command, str),
        stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
        stdout=None if sys.stdout is sys.__stdout__ else subprocess.PIPE,
        stderr=None if sys.stderr is sys.__stderr__ else subprocess.PIPE,
        text=True,
        errors="replace",
    )


def _feed(process, text):
    if text is None:
        return
    try:
        process.stdin.write(text)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it read as much as it wanted


def _pass_on(stream, name):
    for line in stream:
        getattr(sys, name).write(line)
