"""What may stand where somebody types, and what a name or a call means: asked of the values that a cell would read, and
where there are none yet of the code that would make them. No cell and no file of the notebook is run for it.

Values are looked at by jedi. What no value tells, the language server reads from the code.
"""

import contextlib
import functools
import importlib
import importlib.util
import inspect
import os
import re
import select
import signal
import sys
import sysconfig
import time
import types

from svc_runtime import by_jedi, displays, harness, typed_keys
from svc_runtime.beside_answers import Reader
from svc_runtime.channel import read_message
from svc_runtime.language_server import LanguageServer, declarations
from svc_runtime.values import together

MAX_ITEMS = 500
MAX_DOCUMENTATION = 4_000
# Whoever types does not wait for more, nor is memory spent on it: what the value was seen to be has to do.
MAX_VALUE_BYTES = 64 * 1024 * 1024
# Where the language server found nothing, jedi seldom does, and reads long.
PATIENCE_AFTER_SERVER = 2
# What is read of values and packages is read once, whatever a single answer may take.
READING_SECONDS = 15
# Of the time for an answer: values that are not read by then are read beside it.
READING_SHARE = 0.6
# Of the time for an answer: jedi may know what the language server does not say by then.
SERVER_SHARE = 0.6
# What was not known in time is found out while nobody asks: the next answer has it at once.
READING_ON_SECONDS = 10
# Where nobody ever pauses, one answer in so many takes the time that it needs: each was cut off before.
MOST_CUT_OFF = 6
_MEMBER = re.compile(r"\.[ \t]*(\w*)$")
_PATH = re.compile(r"(?<![\w.)\]}'\"])([^\W\d]\w*)((?:\[\d{1,6}\])?)((?:\.[^\W\d]\w*)*)\.\w*$")
_IMPORTING = re.compile(r"\s*(?:import|from)\b")
_IMPORT = re.compile(r"(?m)^(?:import[ \t]+[\w., \t]+|from[ \t]+\w[\w.]*[ \t]+import[ \t]+[\w, \t]+)$")
_IMPORTED = re.compile(r"^(?:from|import)\s+([\w., \t]+?)(?:\s+import\s.*)?$")
# They do something when they are imported.
_NEVER_IMPORTED = {"antigravity", "this", "turtle", "turtledemo", "idlelib"}
_INSTALLED = tuple(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib"))


def serve(job, orders, channel):
    displays.begin(lambda value, stem: {"content_type": "error"})
    harness.enter(job)
    if job["jedi_folder"] is not None:
        by_jedi.find_in(job["jedi_folder"])
    values = Values()
    server = LanguageServer(job["language_server"]) if job["language_server"] is not None else None
    channel.send({"ready": True})
    signal.signal(signal.SIGALRM, _stop)
    unfinished = None
    while (question := read_message(orders)) is not None:
        try:
            signal.setitimer(signal.ITIMER_REAL, max(READING_SECONDS, question["seconds"]))
            answer = _answer(question, values, server)
            if values.are_behind():
                answer["truncated"] = True
        except _Unfinished as still:
            unfinished = still.reading
            answer = {"items": [], "from": question["column"], "truncated": True}
        except BaseException:  # a value that fails, never answers or wants to exit, code that jedi cannot read: no help
            answer = {"items": [], "from": question["column"]}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not channel.is_owner:
            os._exit(0)
        channel.send(answer)
        if unfinished is not None and _read_on(unfinished, orders):
            unfinished = None


def _read_on(reading, orders):
    """Until somebody asks the next question. Whether it is done with."""
    end = time.monotonic() + READING_ON_SECONDS
    is_reading = True

    def look(_signal, frame):
        if is_reading and (time.monotonic() > end or select.select([orders], [], [], 0)[0]) and not _is_importing(frame):
            raise _TooLong

    signal.signal(signal.SIGALRM, look)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        reading()
    except BaseException:
        return time.monotonic() > end or not select.select([orders], [], [], 0)[0]
    finally:
        is_reading = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, _stop)
    return True


class _Unfinished(BaseException):
    """Nobody waits for it any longer, but it is worth knowing."""

    def __init__(self, reading):
        super().__init__()
        self.reading = reading


class _TooLong(BaseException):
    """Nobody waits that long while typing. Values and packages catch every Exception, so it is none."""


def _stop(_signal, frame):
    if _is_importing(frame):
        signal.setitimer(signal.ITIMER_REAL, 0.02)
    else:
        raise _TooLong


def _is_importing(frame):
    """An import that is cut off keeps its locks, for which the reader would wait for ever, and leaves half a package behind."""
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


class Values:
    """Inputs by name, read once for each file that they come from, and modules by the line that imports them."""

    def __init__(self):
        self._reader = Reader()
        self._files = {}
        self.cut_off = 0

    def begin(self, until):
        self._reader.begin(until)

    def are_behind(self):
        """Whether the question needs something that is still being read."""
        return self._reader.is_behind

    def of(self, source, inputs):
        mentioned = set(re.findall(r"[^\W\d]\w*", source))
        return {name: value for name, spec in inputs.items() if name in mentioned for value in self._input(name, spec)}

    def _input(self, name, spec):
        file = repr(spec)
        before = self._files.get(name)
        self._files[name] = file
        if before is not None and before != file:
            self._reader.drop((name, before))
        return [value for given in self._reader.read((name, file), lambda: _input(name, spec)) for value in given]

    def modules(self, line):
        return next(iter(self._reader.read(("", line), lambda: _modules(line))), {})

    def have_settled(self):
        """Whether nothing is being read any more. jedi is a package as well; where there is none, whoever asks it is told so."""
        self._reader.read(("jedi", ""), by_jedi.jedi)
        return self._reader.has_settled()

    def class_of(self, type_name):
        """None where it cannot be told."""
        return next(iter(self._reader.read(("class", type_name), lambda: _class_of([type_name]))), None)


def _input(name, spec):
    """Nothing where it is too large."""
    together.forget()  # a value that was replaced is kept nowhere else
    return [harness.read_input(name, spec)] if _size(spec) <= MAX_VALUE_BYTES else []


def _modules(line):
    names = {}
    if _may_import(line):
        exec(line, names)
    names.pop("__builtins__", None)
    return names


def _size(spec):
    own = os.path.getsize(spec["file"]) if spec["file"] else 0
    return own + sum(map(_size, spec["variants"].values()))


def _may_import(line):
    """Packages that are installed, and no file of the notebook: that one may do anything when it is imported."""
    roots = {part.split()[0].partition(".")[0] for part in _IMPORTED.match(line)[1].split(",") if part.strip()}
    return bool(roots) and all(root in sys.modules or _is_installed(root) for root in roots)


def _is_installed(root):
    if root in _NEVER_IMPORTED:
        return False
    try:
        spec = importlib.util.find_spec(root)
    except Exception:
        return False
    origin = (spec and spec.origin) or ""
    return origin in ("built-in", "frozen") or origin.startswith(_INSTALLED)


def _answer(question, values, server):
    source, line, column = question["source"], question["line"], question["column"]
    inputs, sketches = question["inputs"], question["sketches"]
    began = time.monotonic()
    values.begin(began + question["seconds"] * READING_SHARE)
    read = values.of(source, inputs)
    kinds = {name: values.class_of(sketch["type"]) for name, sketch in sketches.items() if name not in read}
    # A class was seen: of what kind classes are says nothing of it.
    seen = {name: sketches[name] for name, kind in kinds.items() if not _is_metaclass(kind)}
    names = {**read, **{name: kinds[name] for name in seen if kinds[name] is not None}}
    head = question["above"] + declarations(read, seen, _is_installed) if server is not None else ""
    for found in _IMPORT.finditer(source):
        if source.count("\n", 0, found.start()) != line - 1:
            values.modules(found[0])
    if question["ask"] == "complete" and server is not None:
        server.show(head + source)
    signal.setitimer(signal.ITIMER_REAL, max(0.1, question["seconds"] - (time.monotonic() - began)))
    if question["ask"] == "complete":
        return _completions(question, values, server, head, names, seen)
    if server is not None:
        place = _subject(source, line, column)
        if place is not None and not _is_value(place, source, names, seen, values):
            found = server.meaning(head + source, head.count("\n") + place[0], place[1])
            _have_patience()
            if found is not None:
                is_best = found.kind == "variable" or _MEMBER.search(_until(source, place)) is not None
                return _told(found) if is_best else _told_by_jedi(question, names, seen, values) or _told(found)
    return _ask_jedi(question, names, seen, values)


def _completions(question, values, server, head, names, seen):
    source, line, column = question["source"], question["line"], question["column"]
    lines = source.split("\n")
    before = lines[line - 1][:column]
    keys = typed_keys.offered("\n".join([*lines[: line - 1], before]), names, seen)
    if keys is not None:
        return keys
    if _MEMBER.search(before):
        offered = _attributes(before, source, names, seen, values)
        if offered is None and server is not None:
            patience = signal.getitimer(signal.ITIMER_REAL)[0] * SERVER_SHARE
            offered = server.members(head + source, head.count("\n") + line, column, patience)
            if offered is not None:
                _have_patience()
        if offered:
            return _members(offered, before)
        # Of a class in a value's place nothing can be told but its names.
        names = {name: value for name, value in names.items() if name not in seen}
    opened = typed_keys.opened_by(before)
    if opened is not None and opened[0] in seen:
        others = {name: value for name, value in names.items() if name != opened[0]}
        return _keys_in_code(_ask_jedi(question, others, seen, values), before, opened)
    is_known = server is None or not server.is_busy()
    if values.cut_off >= MOST_CUT_OFF:
        values.cut_off = 0
        signal.setitimer(signal.ITIMER_REAL, max(READING_SECONDS, question["seconds"]))
    try:
        answer = _ask_jedi(question, names, seen, values)
        return answer if answer["items"] or is_known else {**answer, "truncated": True}
    except _TooLong:
        if values.are_behind():
            raise _Unfinished(lambda: None) from None  # with the values it is known at once
        values.cut_off += 1
        raise _Unfinished(lambda: _ask_jedi(question, names, seen, values)) from None


def _have_patience():
    left = signal.getitimer(signal.ITIMER_REAL)[0]
    signal.setitimer(signal.ITIMER_REAL, min(left, PATIENCE_AFTER_SERVER) or 0.01)


def _told_by_jedi(question, names, seen, values):
    """None where it knows nothing, or does not say it in time: with its first question it reads long."""
    try:
        answer = _ask_jedi(question, names, seen, values)
    except (Exception, _TooLong):
        return None
    return None if answer["signature"] is None else answer


def _ask_jedi(question, names, seen, values):
    if not values.have_settled():
        raise _TooLong  # it imports for itself, and would wait for what is being imported
    line, column = question["line"], question["column"]
    source = _without_imports(question["source"], line, names, values)
    unknown = [*question["awaited"], *(name for name in (*question["inputs"], *seen) if name not in names)]
    above = question["above"] if unknown else ""
    script = by_jedi.jedi().Interpreter(above + source, [names])
    line += above.count("\n")
    if question["ask"] == "complete":
        offered, count, typed = by_jedi.completions(script, line, column, MAX_ITEMS)
        items = [{"label": label, "kind": kind} for label, kind in offered]
        return {"items": items, "from": column - typed, "truncated": count > MAX_ITEMS}
    found = by_jedi.meaning(script, line, column, source.split("\n")[question["line"] - 1])
    return {"signature": None, "text": ""} if found is None else _explained(*found)


def _without_imports(source, line, names, values):
    """A module itself answers at once, where its sources would be read for seconds: it joins the names."""
    for found in _IMPORT.finditer(source):
        if source.count("\n", 0, found.start()) == line - 1:
            continue  # it is being written
        modules = values.modules(found[0])
        if modules:
            names.update(modules)
            source = source[: found.start()] + " " * len(found[0]) + source[found.end() :]
    return source


def _subject(source, line, column):
    """Where the name ends that the cursor touches, else that of the call that it stands in: (line, column); None: nowhere."""
    lines = source.split("\n")
    text = lines[line - 1]
    if re.search(r"\w$", text[:column]) or re.match(r"\w", text[column:]):
        return line, column + len(re.match(r"\w*", text[column:])[0])
    before = "\n".join([*lines[: line - 1], text[:column]])
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at] in ")]}":
            depth += 1
        elif before[at] in "([{":
            if depth == 0 and before[at] == "(" and re.search(r"\w$", before[:at]):
                return before.count("\n", 0, at) + 1, at - (before.rfind("\n", 0, at) + 1)
            depth = max(0, depth - 1)
    return None


def _until(source, place):
    return source.split("\n")[place[0] - 1][: place[1]]


def _is_value(place, source, names, seen, values):
    """Whether a value stands for the name. For any other variable or member jedi reads long, and seldom finds it."""
    before = _until(source, place)
    path = before if _MEMBER.search(before) else f"{before}."
    return _attributes(path, source, names, seen, values) is not None


def _told(found):
    return _explained(found.signature, found.text or _documentation(found.owner, found.name))


def _explained(signature, text):
    return {"signature": signature[:MAX_DOCUMENTATION], "text": text[:MAX_DOCUMENTATION]}


def _documentation(owner, name):
    """What a class says of its member, where stubs said nothing; a class of that name that is loaded, if there is one."""
    kinds = {vars(module).get(owner) for module in list(sys.modules.values()) if isinstance(module, types.ModuleType)}
    members = [inspect.getattr_static(kind, name) for kind in kinds if isinstance(kind, type) and hasattr(kind, name)]
    texts = {member.__doc__ for member in members if isinstance(getattr(member, "__doc__", None), str)}
    return inspect.cleandoc(texts.pop()) if len(texts) == 1 else ""


def _attributes(before, source, names, seen, values):
    """What the value offers that a path of names leads to; None where there is none, or the source makes another."""
    found = _PATH.search(before)
    if found is None or _IMPORTING.match(before):
        return None
    first, index, rest = found[1], found[2][1:-1], found[3].split(".")[1:]
    known = {**names}
    for line in _IMPORT.findall(source):
        if re.search(rf"\b{first}\b", line):
            known.update(values.modules(line))
            source = source.replace(line, "")
    # Of the class in a value's place only the names are those of the value.
    if first not in known or (rest and first in seen) or _is_defined_in(source, first):
        return None
    if index and first in seen:
        value = _class_of(seen[first].get("items", [])[int(index) : int(index) + 1])
        if value is None:
            return None
    elif index and not (type(known[first]) in (tuple, list) and int(index) < len(known[first])):
        return None
    else:
        value = known[first][int(index)] if index else known[first]
    try:
        value = functools.reduce(getattr, rest, value)
        return [(name, _kind_of(value, name)) for name in dir(value)]
    except Exception:
        return None


def _is_defined_in(source, name):
    try:
        by_jedi.jedi()
        import parso
    except ImportError:
        return False  # it is not installed: the value is believed

    return any(use.is_definition() for use in parso.parse(source).get_used_names().get(name, ()))


def _kind_of(value, name):
    """Nothing of the value is run for it."""
    try:
        found = inspect.getattr_static(value, name)
    except AttributeError:
        return "instance"
    if isinstance(found, types.ModuleType):
        return "module"
    if isinstance(found, type):
        return "class"
    if isinstance(found, (property, functools.cached_property, types.GetSetDescriptorType, types.MemberDescriptorType)):
        return "property"
    is_function = callable(found) or isinstance(found, (classmethod, staticmethod))
    return "function" if is_function else "instance"


def _members(offered, before):
    typed = _MEMBER.search(before)[1]
    fitting = [{"label": name, "kind": kind} for name, kind in offered if name.lower().startswith(typed.lower())]
    fitting.sort(
        key=lambda item: (item["label"].startswith("__"), item["label"].startswith("_"), item["label"].lower())
    )
    return {
        "items": fitting[:MAX_ITEMS],
        "from": len(before) - len(typed),
        "truncated": len(fitting) > MAX_ITEMS,
    }


def _is_metaclass(kind):
    return isinstance(kind, type) and issubclass(kind, type)


def _class_of(types):
    """Of the first of these names of types; None where it cannot be told."""
    for name in types[:1]:
        module, _, path = name.rpartition(".")
        with contextlib.suppress(Exception):
            if not module or module in sys.modules or _is_installed(module.partition(".")[0]):
                return getattr(importlib.import_module(module or "builtins"), path)
    return None


def _keys_in_code(answer, before, opened):
    """A class in a value's place has no keys; the code that made the value may tell them. jedi begins them with their quote."""
    items = [{"label": item["label"].strip(opened[1]), "kind": "key"} for item in answer["items"]]
    return {**answer, "items": items, "from": len(before) - len(opened[2])}
