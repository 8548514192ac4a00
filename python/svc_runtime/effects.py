"""What a cell touched beside its variables: files, folders, hosts, programs, variables of the environment, the clock, chance.

Python tells of most of it by audit events. Libraries that open files by themselves are seen by the kernel (`folder_watch.py`);
clock and chance by what stands in their place (`chance.py`). Names are told, never contents.
"""

import importlib.util
import os
import sys
import sysconfig

from svc_runtime import chance
from svc_runtime.folder_watch import FolderWatch

MAX_TOLD = 1000
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/", "/usr/share/", "/usr/lib/")
_HOMES = {
    os.path.join(place, "")
    for kind in ("stdlib", "platstdlib", "purelib", "platlib")
    for place in (sysconfig.get_path(kind), os.path.realpath(sysconfig.get_path(kind)))
}
_NOT_TOLD = (*_SYSTEM, *_HOMES, os.path.join(os.path.dirname(os.path.abspath(__file__)), ""))
# event -> the places of the paths that it changes
_CHANGES = {
    **dict.fromkeys(("os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.utime", "os.chmod", "sqlite3.connect"), (0,)),
    **dict.fromkeys(("os.rename", "os.link", "os.symlink", "shutil.move", "shutil.copyfile", "shutil.copytree"), (0, 1)),
}
_PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"}
_LISTS = {"os.listdir", "os.scandir"}


class Observer:
    """One for a process: an audit hook cannot be taken away."""

    def __init__(self):
        self._is_on = False
        self._is_installed = False
        self._clear()

    def _clear(self):
        self._seen = set()
        self._read = {}  # path -> (size, time, number) when it was opened; None when it was not there, or nobody looked
        self._written = set()
        self._listed = set()
        self._hosts = set()
        self._programs = set()
        self._folder = None

    def begin(self, job):
        if not self._is_installed:
            sys.addaudithook(self._hear)
            chance.install()
            self._is_installed = True
        self._clear()
        self._own = tuple(os.path.join(place, "") for place in (job["output_dir"], os.path.join(job["notebook_dir"], ".svc")))
        self._folder = os.getcwd()
        self._watch = FolderWatch(job["work_dir"])
        chance.begin(job["source"])
        self._is_on = True

    def end(self):
        """What was touched since `begin`; empty parts are left out."""
        if not self._is_on:
            return {}
        self._is_on = False
        opened, changed, is_whole = self._watch.end()
        self._written.update(path for path in changed if not path.endswith(".pyc"))
        for path in opened:
            if path not in self._written and f"{os.sep}__pycache__{os.sep}" not in path:
                self._read.setdefault(path, None)
        read = {path: known for path, known in self._read.items() if not path.startswith((*_NOT_TOLD, *self._own))}
        found = {
            "read": [[path, *(known or ())] for path, known in sorted(read.items())[:MAX_TOLD]],
            "unwatched": max(0, len(read) - MAX_TOLD) + (0 if is_whole else 1),
            "written": self._told(self._written),
            "listed": self._told(self._listed),
            "hosts": sorted(self._hosts)[:MAX_TOLD],
            "programs": sorted(self._programs)[:MAX_TOLD],
            **chance.end(),
        }
        self._clear()
        return {name: value for name, value in found.items() if value}

    def _told(self, paths):
        return sorted(path for path in paths if not f"{path}/".startswith((*_NOT_TOLD, *self._own)))[:MAX_TOLD]

    def _hear(self, event, arguments):
        if not self._is_on:
            return
        if event == "open":
            if arguments not in self._seen:
                self._open(arguments)
        elif event in _LISTS:
            if not _is_import(sys._getframe(1)):
                self._listed.add(self._path(arguments[0] or "."))
        elif event in _CHANGES:
            self._written.update(self._path(arguments[at]) for at in _CHANGES[event] if isinstance(arguments[at], (str, bytes)))
        elif event in _PROGRAMS:
            self._programs.add(_program(arguments))
        elif event == "socket.getaddrinfo":
            self._hosts.add(_text(arguments[0]))
        elif event == "socket.connect" and isinstance(arguments[1], tuple):
            self._hosts.add(_text(arguments[1][0]))
        elif event == "os.chdir":
            self._folder = self._path(arguments[0])

    def _open(self, arguments):
        place, _, flags = arguments
        try:
            self._seen.add(arguments)
        except TypeError:
            pass
        if isinstance(place, int):
            return
        path = self._path(place)
        if flags & _WRITES:
            if not _is_import(sys._getframe(2)):
                self._written.add(path)
        elif path not in self._read and path not in self._written and not path.startswith(_NOT_TOLD):
            self._read[path] = _identity(path) if len(self._read) <= MAX_TOLD else None

    def _path(self, place):
        try:
            path = os.path.normpath(os.path.join(self._folder, os.fsdecode(place)))
        except (TypeError, ValueError):
            return ""
        return _source_of(path) if path.endswith(".pyc") else path


def _is_import(frame):
    """Whether it is Python itself, which looks for modules."""
    return "importlib._bootstrap" in frame.f_code.co_filename


def _source_of(path):
    """A module is its source, not what Python keeps of it."""
    try:
        return importlib.util.source_from_cache(path)
    except ValueError:
        return path


def _identity(path):
    try:
        found = os.stat(path)
        return found.st_size, str(found.st_mtime_ns), str(found.st_ino)
    except OSError:
        return None


def _program(arguments):
    """`arguments`: what is run, and perhaps its words."""
    first = arguments[0]
    if first is None:
        first = arguments[1][0] if isinstance(arguments[1], (list, tuple)) and arguments[1] else arguments[1]
    words = _text(first).split()
    return os.path.basename(words[0]) if words else ""


def _text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


observer = Observer()
