"""What may stand where somebody types, and what a name or a call means: asked of the values that a cell would read, and
where there are none yet of the code that would make them. Nothing of the notebook's code is run for it.

jedi reads the code. It lies with the engine and not in the notebook's environment, so only it is found there.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import re
import signal
import sys

from svc_runtime import displays, harness
from svc_runtime.channel import read_message

MAX_ITEMS = 500
MAX_DOCUMENTATION = 4_000
_KEY = re.compile(r"([A-Za-z_][\w.]*)\[\s*(['\"])([^'\"\n]*)$")
_IMPORT = re.compile(r"(?m)^(?:import[ \t]+[\w., \t]+|from[ \t]+\w[\w.]*[ \t]+import[ \t]+[\w, \t]+)$")
_IMPORTED = re.compile(r"^(?:from|import)\s+([\w., \t]+?)(?:\s+import\s.*)?$")
# They do something when they are imported.
_NEVER_IMPORTED = {"antigravity", "this", "turtle", "turtledemo", "idlelib"}


class _Finder:
    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ("jedi", "parso"):
            return None
        return importlib.machinery.PathFinder.find_spec(name, path or [self._folder])


def serve(job, orders, channel):
    displays.begin(lambda value, stem: {"content_type": "error"})
    harness.enter(job)
    if job["packages"] is not None:
        sys.meta_path.append(_Finder(job["packages"]))
    values = Values()
    channel.send({"ready": True})
    signal.signal(signal.SIGALRM, _stop)
    while (question := read_message(orders)) is not None:
        try:
            signal.setitimer(signal.ITIMER_REAL, question["seconds"])
            answer = _answer(question, values)
        except Exception:  # a value whose attributes fail or never come, code that jedi cannot read: there is no help then
            answer = {"items": [], "from": question["column"], "signature": None, "text": ""}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not channel.is_owner:
            os._exit(0)
        channel.send(answer)


def _stop(_signal, _frame):
    raise TimeoutError("nobody waits that long while typing")


class Values:
    """Inputs by name, read once for each file that they come from, and modules by the line that imports them."""

    def __init__(self):
        self._read = {}
        self._imported = {}

    def of(self, source, inputs):
        mentioned = set(re.findall(r"[^\W\d]\w*", source))
        return {name: value for name, spec in inputs.items() if name in mentioned for value in self._input(name, spec)}

    def _input(self, name, spec):
        key = repr(spec)
        if self._read.get(name, (None,))[0] != key:
            try:
                self._read[name] = key, [harness.read_input(name, spec)]
            except Exception:
                self._read[name] = key, []
        return self._read[name][1]

    def modules(self, line):
        if line not in self._imported:
            names = {}
            if _may_import(line):
                try:
                    exec(line, names)
                except Exception:
                    names = {}
            names.pop("__builtins__", None)
            self._imported[line] = names
        return self._imported[line]


def _may_import(line):
    """Packages that are installed, and no file of the notebook: that one may do anything when it is imported."""
    roots = {part.split()[0].partition(".")[0] for part in _IMPORTED.match(line)[1].split(",") if part.strip()}
    return bool(roots) and all(root in sys.modules or _is_installed(root) for root in roots)


def _is_installed(root):
    if root in _NEVER_IMPORTED:
        return False
    if root in sys.stdlib_module_names:
        return True
    try:
        spec = importlib.util.find_spec(root)
    except Exception:
        return False
    return spec is not None and "site-packages" in (spec.origin or "")


def _answer(question, values):
    source, line, column = question["source"], question["line"], question["column"]
    names = {**values.of(source, question["inputs"]), **_stand_ins(question["sketches"])}
    for text in _IMPORT.findall(source):
        modules = values.modules(text)
        if modules:
            # The module itself answers at once; its sources would be read for seconds.
            names.update(modules)
            source = source.replace(text, " " * len(text), 1)
    before = source.split("\n")[line - 1][:column]
    if question["ask"] == "complete":
        keys = _keys(before, names, question["sketches"])
        if keys is not None:
            return keys
    import jedi

    unknown = [*question["awaited"], *(name for name in question["sketches"] if name not in names)]
    above = question["above"] if unknown else ""
    script = jedi.Interpreter(above + source, [names])
    line += above.count("\n")
    if question["ask"] == "complete":
        return _completions(script, line, column)
    return _help(script, line, column, source.split("\n")[question["line"] - 1])


def _stand_ins(sketches):
    """The class of a value that was not stored offers nearly all that the value would."""
    found = {}
    for name, sketch in sketches.items():
        module, _, path = sketch["type"].rpartition(".")
        try:
            if not module or module in sys.modules or _is_installed(module.partition(".")[0]):
                found[name] = getattr(importlib.import_module(module or "builtins"), path)
        except Exception:
            pass
    return found


def _keys(before, names, sketches):
    """The columns of a table or the keys of a mapping, where its bracket is open; None anywhere else."""
    found = _KEY.search(before)
    if found is None:
        return None
    sketch = sketches.get(found[1])
    keys = _keys_of(_resolved(found[1], names)) if sketch is None else sketch.get("columns", [])
    items = [
        {"label": key, "kind": "key"}
        for key in keys
        if isinstance(key, str) and found[2] not in key and "\\" not in key and "\n" not in key
    ]
    return {"items": items[:MAX_ITEMS], "from": len(before) - len(found[3])} if items else None


def _resolved(path, names):
    first, *rest = path.split(".")
    value = names.get(first)
    for attribute in rest:
        value = getattr(value, attribute, None)
    return value


def _keys_of(value):
    offered = getattr(type(value), "_ipython_key_completions_", None)
    if offered is not None:
        return list(offered(value))
    if isinstance(value, dict):
        return list(value)
    for attribute in ("columns", "column_names"):
        names = getattr(value, attribute, None)
        if names is not None and not callable(names):
            return list(names)
    return []


def _completions(script, line, column):
    found = script.complete(line, column)
    items = [_item(completion) for completion in found[:MAX_ITEMS]]
    return {"items": items, "from": column - (found[0].get_completion_prefix_length() if found else 0)}


def _item(completion):
    kind = completion.type
    label = completion.name.rstrip("'\"") if kind == "path" else completion.name
    return {"label": label, "kind": kind}


def _help(script, line, column, text):
    """Of the name that the cursor touches, else of the call that it stands in."""
    touches = re.search(r"\w$", text[:column]) or re.match(r"\w", text[column:])
    named = [one for one in script.help(line, column) if one.type != "keyword"] if touches else []
    subject = next(iter(named or script.get_signatures(line, column)), None)
    if subject is None:
        return {"signature": None, "text": ""}
    signatures = [subject] if hasattr(subject, "bracket_start") else subject.get_signatures()
    signature = signatures[0].to_string() if signatures else subject.description
    return {"signature": signature[:MAX_DOCUMENTATION], "text": subject.docstring(raw=True)[:MAX_DOCUMENTATION]}
