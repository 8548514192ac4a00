"""Which places outside the notebook's folder a cell may open: those that its text and its inputs name.

Libraries open files without a word, and the kernel tells of openings only in folders that it was asked about beforehand.
"""

import fnmatch
import os
import re
import tempfile

from svc_runtime.called_code import functions_in

MAX_PLACES = 20
MAX_LOOKED_AT = 200
_IN_QUOTES = re.compile(r"""['"]((?:~?/|\.\.)[^'"\n]{0,500})['"]""")
_IN_BRACKETS = re.compile(r"[\[ ]((?:~?/|\.\.)[^\],\n]{1,500})[\],]")
_PLANS = ("LazyFrame", "FileSystemDataset")
_PATTERN = re.compile(r"[*?\[{]")
_LISTS_HERE = re.compile(r"""['"](?:\./)?(?:[^'"\n/]*[*?][^'"\n/]*|\.)['"]""")


def lists_here(source):
    """Whether a text speaks of the files of the current folder by a pattern."""
    return _LISTS_HERE.search(source) is not None


def places(source, values, work_dir):
    """(folder, pattern of names or None for all of them) for each place that is there."""
    found = {}
    for name in _names(source, values):
        place = _place(name, work_dir)
        if place is not None and len(found) < MAX_PLACES:
            found[place] = None
    return list(found)


def _place(name, work_dir):
    try:
        path = os.path.normpath(os.path.join(work_dir, os.path.expanduser(name)))
        folder, pattern = path, None
        if _PATTERN.search(path) or not os.path.isdir(path):
            start = _PATTERN.search(path)
            folder = os.path.dirname(path[: start.start()] if start else path)
            pattern = os.path.basename(path) if folder == os.path.dirname(path) else None
            pattern = pattern and re.sub(r"\{[^}]*\}?", "*", pattern)
        if os.path.commonpath([folder, work_dir]) == work_dir or not os.path.isdir(folder):
            return None
    except (OSError, ValueError):
        return None
    # Everybody opens something there all the time.
    is_crowded = folder in ("/", tempfile.gettempdir(), os.path.expanduser("~"))
    return None if is_crowded and pattern is None else (folder, pattern)


def fits(name, pattern):
    return pattern is None or fnmatch.fnmatchcase(name, pattern)


def _names(source, values):
    yield from _IN_QUOTES.findall(source)
    pending, left = [*values], MAX_LOOKED_AT
    for function in functions_in(values):
        code = function.__code__
        pending += [one for one in code.co_consts if isinstance(one, (str, tuple))]
        pending += [one for one in map(function.__globals__.get, code.co_names) if isinstance(one, (str, os.PathLike))]
    while pending and left > 0:
        value, left = pending.pop(), left - 1
        if isinstance(value, os.PathLike):
            value = _text_of(value)
        if type(value) is str:
            # A query, or a path by itself.
            yield from _IN_QUOTES.findall(f"'{value}'" if len(value) < 500 and "'" not in value else value)
        elif type(value) in (list, tuple):
            pending += value[:MAX_LOOKED_AT]
        elif type(value) is dict:
            pending += list(value.values())[:MAX_LOOKED_AT]
        elif type(value).__name__ in _PLANS:
            pending += _files_of_plan(value)


def _files_of_plan(value):
    """Of what reads its files only when it is asked for rows."""
    try:
        found = value.explain(optimized=False) if type(value).__name__ == "LazyFrame" else value.files
        return _IN_BRACKETS.findall(found) if isinstance(found, str) else list(found)[:MAX_LOOKED_AT]
    except Exception:  # code of others
        return []


def _text_of(path):
    try:
        return os.fsdecode(path)
    except Exception:  # code of others
        return ""
