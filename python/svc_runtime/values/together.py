"""Values that share parts: `sheet = book.active`, `draw = ImageDraw.Draw(image)`, `pipe = Pipeline([("fit", model)])`. Stored each by
itself, they would be copies that know nothing of each other. So the file of each that one cell made holds all of them, and
they are read once by whoever reads several. What a cell was given and left as it was is written into them for itself: the
object that is read from its own file takes its place.
"""

import collections
import contextlib
import gc
import hashlib
import itertools
import os
import pickle
import types
import weakref

_MAX_PARTS = 3000  # of a value that are looked at
_MAX_OF_ALL = 30_000
_PASSED_OVER = 10  # times as many numbers and texts, of which a value may hold any number
_MOST_BYTES = 64 * 1024 * 1024  # that are worth being written for each name again
_NUMBERS_AND_TEXT = {int, float, complex, str, bytes, bool, type(None)}
_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType, types.FrameType, weakref.ref)
_PLAIN = {list, tuple, dict, set, frozenset, bytearray}
# Tables and arrays have a form of their own; torch's models and optimisers find each other by their names, loggers have one for all.
_APART = ("numpy", "pandas", "polars", "pyarrow", "torch", "logging")

_read = {}  # digest of what was written together -> the values by their names
_files = {}  # file -> the name of its value, and the value
_given = {}  # mark of a file -> its value, which came with another's


def forget():
    """What was read is another cell's, which may have changed it: whoever comes next reads it anew."""
    for known in (_read, _files, _given):
        known.clear()


@contextlib.contextmanager
def anew():
    """What is read meanwhile has nothing to do with what was read before."""
    before = [(known, dict(known)) for known in (_read, _files, _given)]
    forget()
    try:
        yield
    finally:
        for known, entries in before:
            known.clear()
            known.update(entries)


class TooMuch(Exception):
    """Together they take more room than it is worth."""


class Together:
    def __init__(self, values, given):
        """`values`: by their names; `given`: parts of them, by their names, with the file that each was read from and a pickle."""
        self.values = values
        self.names = [*values, *(name for name, _, _, _ in given)]
        self.is_too_large = False  # they are stored apart then
        self._dumped = None
        self._given = [(_mark(name, file), value, pickled) for name, value, file, pickled in given]

    def _pickler(self, base):
        """One that writes a mark for what was given."""
        marks = {id(value): mark for mark, value, _ in self._given}

        class Marking(base):
            def persistent_id(self, value):
                return marks.get(id(value))

        return Marking if marks else base

    def dump(self, dump):
        """What `dump(values, pickler)` gives, the same for each name."""
        if self._dumped is None:
            self._dumped = dump(self.values, self._pickler)
        return self._dumped

    def facts(self, name, payload, views):
        """What an envelope says of it."""
        if len(payload) + sum(view.nbytes for view in views) > _MOST_BYTES:
            self.is_too_large = True
            raise TooMuch
        digest = hashlib.blake2b(payload, digest_size=16)
        for view in views:
            digest.update(view)
        given = {mark: pickled for mark, _, pickled in self._given}
        return {"together": digest.hexdigest(), "name": name, "given": given}


def find(made, kept, given, written, unchanged):
    """Which of the values that a cell made hold one another, or something that it was given, as {name: Together}; nothing is asked of
    those of which none is `kept`. `given`: what the cell was given and seems not to have changed, as name, value and file;
    `written(value)`: all that a pickle of it holds, by id; `unchanged(value, file)`: its pickle, or None where it is not what the file
    holds."""
    if not kept:
        return {}
    most = min(_MAX_PARTS, _MAX_OF_ALL // max(1, len(made)))
    parts = {name: found for name, value in made.items() if (found := _parts(value, most))}
    suspects = [name for names in _groups(made, parts, given) if not kept.isdisjoint(names) for name in names]
    parts = {name: written(made[name]) for name in suspects}
    found = {}
    for names in _groups(made, parts, given):
        values = {name: made[name] for name in names}
        near = [one for one in given if any(id(one[1]) in parts[name] for name in names) and _is_apart_from(one, values)]
        held = [(*one, pickled) for one in near if (pickled := unchanged(*one[1:])) is not None]
        if len(names) > 1 or held:
            together = Together(values, held)
            found.update((name, together) for name in names)
    return found


def read(envelope, load):
    """The value that an envelope speaks of. `load(find)`: all of them; `find(mark)` gives what stands in its place."""
    key = envelope["together"]
    if key not in _read:
        _read[key] = load(lambda mark: _part(mark, envelope["given"][mark]))
    return _read[key][envelope["name"]]


def once(name, file, reader):
    """The value of a file, which is read once for a cell, or came with another's."""
    if file not in _files:
        mark = _mark(name, file) if any(one[:2] == (name, os.path.getsize(file)) for one in _given) else None
        _files[file] = name, _given[mark] if mark in _given else reader(file)
    return _files[file][1]


def _part(mark, pickled):
    for file, (name, value) in _files.items():
        if mark[:2] == (name, os.path.getsize(file)) and _mark(name, file) == mark:
            return value
    if mark not in _given:
        _given[mark] = pickle.loads(pickled)
    return _given[mark]


def _mark(name, file):
    """Two values that look alike may have been given: their names tell them apart."""
    with open(file, "rb") as content:
        return name, os.path.getsize(file), hashlib.blake2b(content.read(), digest_size=16).hexdigest()


def _groups(made, parts, given):
    """Names whose values hold one another, or hold what was given. Parts that none of them is are the library's: every figure has some."""
    groups = []
    for name in parts:
        near = [group for group in groups if any(_hold(made, parts, name, other) for other in group)]
        groups = [group for group in groups if group not in near] + [[*sum(near, []), name]]
    return [names for names in groups if len(names) > 1 or any(id(value) in parts[names[0]] for _, value, _ in given)]


def _hold(made, parts, one, other):
    return id(made[one]) in parts[other] or id(made[other]) in parts[one]


def _parts(value, most=_MAX_PARTS):
    """What a value consists of, by id; nothing of one that is plain data, or has a form of its own."""
    if not gc.is_tracked(value) or isinstance(value, _CODE) or _is_apart(value):
        return {}
    found, waiting, has_object = {id(value): value}, collections.deque([value]), type(value) not in _PLAIN
    left = _PASSED_OVER * most
    while waiting and len(found) < most and left > 0:
        for part in _referents(waiting.popleft(), left):
            left -= 1
            if type(part) in _NUMBERS_AND_TEXT or id(part) in found or isinstance(part, _CODE):
                continue
            found[id(part)] = part
            if len(found) >= most:
                break
            if gc.is_tracked(part) and not _is_apart(part):
                has_object = has_object or type(part) not in _PLAIN
                waiting.append(part)
    return found if has_object else {}


def _referents(value, most):
    """The first of them; of a long list or dictionary not even the others' addresses are copied."""
    if type(value) in _PLAIN and len(value) > most:
        return itertools.islice(itertools.chain.from_iterable(value.items()) if type(value) is dict else value, most)
    return itertools.islice(gc.get_referents(value), most)


def _is_apart_from(given, values):
    """What was given is worth being written for itself, and does not hold in turn what holds it."""
    _, value, file = given
    return os.path.getsize(file) <= _MOST_BYTES and _parts(value).keys().isdisjoint(map(id, values.values()))


def _is_apart(value):
    return any(str(kind.__module__).partition(".")[0] in _APART for kind in type(value).__mro__)
