"""Asks pyrefly, a language server, what an expression offers or means that no value stands for: the result of a call, or of code
that has not run. It reads sources and stubs and runs nothing. Between questions it keeps what it has read of packages and
inferred of the cells above, so that only the line that is being typed is new to it.
"""

import json
import os
import pathlib
import re
import select
import subprocess
import sys
import time
import types

from svc_runtime import hovers

_DOCUMENT = "svc_typing.py"  # never written: it only says which folder the cells import from
_KINDS = {2: "function", 3: "function", 4: "function", 7: "class", 9: "module", 10: "property", 14: "keyword"}
# Inferences alone: nobody is shown errors of types.
_SETTINGS = {
    "pythonPath": sys.executable,
    "pyrefly": {
        "displayTypeErrors": "force-off",
        "configPath": os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyrefly.toml"),
    },
}
# It has not begun, ended, or said what cannot be understood.
_FAILURES = (OSError, EOFError, ValueError, TypeError)
# An answer that nobody waits for any more may still come; a server that owes it for longer is replaced.
LOST_SECONDS = 20


class LanguageServer:
    """One process, begun with the first text; another where it was left in the middle of an answer, or has ended. One that
    fails twice in a row is done without.
    """

    def __init__(self, program):
        self._program = program
        self._process = None
        self._shown = None
        self._requests = 0
        self._owed = None  # the number of a question that was left, and when
        self._held = b""
        self._versions = 0
        self._uri = pathlib.Path(os.getcwd(), _DOCUMENT).as_uri()

    def show(self, text):
        """The server reads it, and what it imports, while nobody waits."""
        if not self.is_busy():
            self._whole(self._tell_text, text)

    def members(self, text, line, column, seconds):
        """What may follow the point before the cursor: (name, kind); None where it is done without, or not known so soon: what
        it reads meanwhile, later answers have. Lines count from 1, columns in code points.
        """
        if self.is_busy():
            return None
        return self._whole(self._completions, text, _position(text, line, column), seconds)

    def is_busy(self):
        """With a question that was left: its answer is let go when it comes."""
        if self._process is None or self._owed is None:
            return False
        number, since = self._owed
        try:
            self._answer_to(number, time.monotonic())
        except TimeoutError:
            if time.monotonic() - since < LOST_SECONDS:
                return True
            self._end()
        except _FAILURES:
            self._end()
        self._owed = None
        return False

    def meaning(self, text, line, column):
        """Of the name that ends at this place; None where it knows of none."""
        found = self._whole(self._hover, text, _position(text, line, column - 1))
        return None if found is None else hovers.read(found["contents"]["value"])

    def _whole(self, exchange, *given):
        """One exchange from its beginning to its end, with a new process where this one has failed."""
        for _ in range(2 if self._program is not None else 0):
            try:
                return exchange(*given)
            except _FAILURES:
                self._end()
            except BaseException:  # nobody waits any longer; the rest of the answer would be taken for the next one
                self._end()
                raise
        self._program = None
        return None

    def _completions(self, text, position, seconds):
        self._tell_text(text)
        given = {"textDocument": {"uri": self._uri}, "position": position}
        try:
            found = self._ask("textDocument/completion", given, seconds)
        except TimeoutError:
            self._owed = self._requests, time.monotonic()
            return None
        items = found["items"] if isinstance(found, dict) else found or []
        return [(item["label"], _KINDS.get(item.get("kind"), "instance")) for item in items]

    def _hover(self, text, position):
        self._tell_text(text)
        return self._ask("textDocument/hover", {"textDocument": {"uri": self._uri}, "position": position})

    def _begin(self):
        self._process = subprocess.Popen(
            [self._program, "lsp", "--indexing-mode", "none"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",  # it asks the interpreter for its packages, which would import files of the notebook
        )
        self._shown, self._owed, self._held = None, None, b""
        folder = pathlib.Path.cwd().as_uri()
        self._ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder,
                "workspaceFolders": [{"uri": folder, "name": "notebook"}],
                "initializationOptions": _SETTINGS,
                "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}},
            },
        )
        self._send({"method": "initialized", "params": {}})

    def _tell_text(self, text):
        if self._process is None:
            self._begin()
        if text == self._shown:
            return
        self._versions += 1
        document = {"uri": self._uri, "version": self._versions}
        if self._shown is None:
            opened = {**document, "languageId": "python", "text": text}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        else:
            changed = {"textDocument": document, "contentChanges": [{"text": text}]}
            self._send({"method": "textDocument/didChange", "params": changed})
        self._shown = text

    def _ask(self, method, params, seconds=None):
        self._requests += 1
        self._send({"id": self._requests, "method": method, "params": params})
        return self._answer_to(self._requests, None if seconds is None else time.monotonic() + seconds)

    def _answer_to(self, number, until):
        while True:
            message = self._receive(until)
            if "method" not in message:
                if message.get("id") == number:
                    return message.get("result")
            elif "id" in message:
                self._send({"id": message["id"], "result": _own_answer(message)})

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        rest = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        while rest:
            rest = rest[self._process.stdin.write(rest) :]

    def _receive(self, until):
        """The next message; TimeoutError where it is not there by then. What came of it is kept."""
        while True:
            head, parted, rest = self._held.partition(b"\r\n\r\n")
            if parted:
                length = int(re.search(rb"(?i)content-length:\s*(\d+)", head)[1])
                if len(rest) >= length:
                    self._held = rest[length:]
                    return json.loads(rest[:length])
            if until is not None and not select.select([self._process.stdout], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError
            part = os.read(self._process.stdout.fileno(), 1 << 20)
            if not part:
                raise EOFError("the language server has ended")
            self._held += part

    def _end(self):
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()


def _position(text, line, column):
    before = text.split("\n")[line - 1][:column]
    return {"line": line - 1, "character": len(before.encode("utf-16-le")) // 2}


def _own_answer(request):
    """What the server asks in its turn: settings, and whether it may register what it watches."""
    if request["method"] == "workspace/configuration":
        return [_SETTINGS for _ in request["params"]["items"]]
    return None


def declarations(values, sketches, is_installed):
    """Lines that say of which type names are, as far as values told: more certain than what code seems to make of them.
    Of lists and the like the code knows more, since it says what they hold; classes of cells are in the code too.
    """
    lines = ["import typing as _typing"]
    for name, value in values.items():
        kind = type(value)
        if isinstance(value, types.ModuleType):
            lines.append(f"import {value.__name__} as {name}")
        elif isinstance(value, type):
            lines += _alias(name, value.__module__, value.__qualname__, is_installed)
        else:
            lines += _declaration(name, kind.__module__, kind.__qualname__, is_installed)
    for name, sketch in sketches.items():
        module, _, path = sketch["type"].rpartition(".")
        lines += _declaration(name, module, path, is_installed)
        if sketch["type"] == "tuple":
            lines += _tuple(name, sketch.get("items", []), is_installed)
    return "".join(f"{line}\n" for line in lines)


def _declaration(name, module, path, is_installed):
    """A cast, and no annotation: the cell may give the name another meaning."""
    return _with_module(module, path, is_installed, f"{name} = _typing.cast(_module.{path}, ...)")


def _alias(name, module, path, is_installed):
    return _with_module(module, path, is_installed, f"{name} = _module.{path}")


def _with_module(module, path, is_installed, line):
    if not re.fullmatch(r"\w+(\.\w+)+", f"{module}.{path}") or module == "builtins":
        return []
    return [f"import {module} as _module", line] if is_installed(module.partition(".")[0]) else []


def _tuple(name, items, is_installed):
    """Of what its items are, where that can be said of each."""
    lines = []
    kinds = []
    for at, item in enumerate(items):
        module, _, path = item.rpartition(".")
        if module:
            found = _declaration(f"_item{at}", module, path, is_installed)
            lines += found[:1] and [f"import {module} as _module{at}"]
            kinds.append(f"_module{at}.{path}" if found else "_typing.Any")
        else:
            kinds.append(path if path.isidentifier() and path != "NoneType" else "_typing.Any")
    return [*lines, f"{name} = _typing.cast('tuple[{', '.join(kinds)}]', ...)"] if kinds else []
