"""What jedi says of code and of values. It lies with the engine and not in the notebook's environment, so only it is found there; it is
loaded when it is first asked.
"""

import contextlib
import functools
import importlib.machinery
import os
import re
import sys


def find_in(folder):
    sys.meta_path.append(_Finder(folder))


class _Finder:
    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ("jedi", "parso"):
            return None
        return importlib.machinery.PathFinder.find_spec(name, path or [self._folder])


@functools.cache
def jedi():
    import jedi
    import parso.cache

    folder = jedi.settings.cache_directory
    with contextlib.suppress(OSError):
        os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK):
        # It keeps there, below the home folder, what it has parsed, and reads no file where it may not.
        parso.cache._load_from_file_system = parso.cache._save_to_file_system = lambda *_, **__: None
    parso.cache._load_from_file_system = _unless_cut_off(parso.cache._load_from_file_system)
    return jedi


def _unless_cut_off(load):
    """A file that a process left half written when it ended is none: what it would hold is parsed, and written anew."""

    def load_whole(*given, **named):
        try:
            return load(*given, **named)
        except Exception:
            return None

    return load_whole


def completions(script, line, column, most):
    """What may stand there, (label, kind) of the first ones; how many there are, and how much of it was typed."""
    found = script.complete(line, column)
    typed = found[0].get_completion_prefix_length() if found else 0
    return [_label(completion) for completion in found[:most]], len(found), typed


def _label(completion):
    kind = completion.type
    return completion.name.rstrip("'\"") if kind == "path" else completion.name, kind


def meaning(script, line, column, text):
    """Of the name that the cursor touches in this text of the line, else of the call that it stands in: its signature and
    documentation; None where it knows of none.
    """
    touches = re.search(r"\w$", text[:column]) or re.match(r"\w", text[column:])
    named = [one for one in script.help(line, column) if one.type != "keyword"] if touches else []
    subject = next(iter(named or script.get_signatures(line, column)), None)
    if subject is None:
        return None
    signatures = [subject] if hasattr(subject, "bracket_start") else subject.get_signatures()
    if not signatures:
        return subject.description, subject.docstring(raw=True)
    signature = signatures[0].to_string()
    if subject.type == "class" and subject.full_name:
        # In place of a class that is there it names the class that all such classes are of.
        signature = re.sub(r"^\w+(?=\()", subject.full_name.rpartition(".")[2], signature)
    return signature, subject.docstring(raw=True)
