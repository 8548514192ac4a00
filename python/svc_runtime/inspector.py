"""The inspect prompt of a cell: its inputs, loaded when first named, and one expression or statement at a time."""

import ast
import os

from svc_runtime import displays, errors, harness
from svc_runtime.cell import parse
from svc_runtime.channel import read_message
from svc_runtime.values import preview

MAX_RESULT_CHARACTERS = 20_000


class LazyInputs(dict):
    """The names of the prompt. An input is read from its file the first time that somebody asks for it."""

    def __init__(self, namespace, specs):
        super().__init__(namespace)
        self._specs = dict(specs)

    def __missing__(self, name):
        if name not in self._specs:
            raise KeyError(name)
        self[name] = harness.read_input(name, self._specs.pop(name))
        return self[name]


def serve(job, orders, channel):
    displays.begin(lambda value, stem: print(preview.of_repr(value)) or {"content_type": "error"})
    # Functions typed at the prompt look their names up in its globals, which have to be the very same object.
    try:
        names = LazyInputs(harness.enter(job), job["inputs"])
    except Exception as problem:
        channel.send({"ok": False, "error": errors.describe(problem)["text"]})
        return
    channel.send({"ok": True, "result": "ready", "type": "str"})
    number = 0
    while (message := read_message(orders)) is not None:
        number += 1
        answer = _evaluate(message["expr"], f"prompt {number}", names)
        harness.flush_streams()
        if not channel.is_owner:
            os._exit(0)
        channel.send(answer)


def _evaluate(text, label, names):
    file = errors.cell_file(label)
    errors.remember_source(file, text)
    try:
        tree = parse(text, file)
        if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            value = eval(compile(ast.Expression(tree.body[0].value), file, "eval", dont_inherit=True), names)
            return {"ok": True, "result": _shown(value), "type": type(value).__name__}
        exec(compile(tree, file, "exec", dont_inherit=True), names)
        return {"ok": True, "result": "(no output)", "type": "None"}
    except BaseException as problem:
        return {"ok": False, "error": errors.describe(problem)["text"]}


def _shown(value):
    text = repr(value)
    return text if len(text) <= MAX_RESULT_CHARACTERS else f"{text[:MAX_RESULT_CHARACTERS]}… ({len(text)} characters)"
