"""What a cell touched beside its variables: files, folders, hosts, programs, variables of the environment, the clock, chance.

Python tells of most of it by audit events. Libraries that open files by themselves are seen by the kernel (`folder_watch.py`);
clock, chance and questions whether a file is there by what stands in their place (`chance.py`). Names are told, never contents.
"""

import importlib.util
import os
import stat
import sys
from urllib.parse import unquote, urlsplit

from svc_runtime import chance, homes, named_places
from svc_runtime.chance import is_asked_by_cell, is_importing, is_within_import
from svc_runtime.folder_watch import FolderWatch
from svc_runtime.package_use import package_use

MAX_TOLD = 1000
MAX_KNOWN = 10 * MAX_TOLD
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_UPDATES = os.O_RDWR  # by itself: a file that is there, to be read and perhaps written to
_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/", "/usr/share/", "/usr/lib/")
_OWN_CODE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
# What programs keep for themselves in the home folder begins with a dot.
_OF_PROGRAMS = (*_SYSTEM, os.path.join(os.path.expanduser("~"), "."))
_NOT_TOLD = (*_OF_PROGRAMS, *homes.OF_MODULES, _OWN_CODE)
# What the kernel makes up for whoever asks: other each time, and nothing tells when.
_MADE_UP = ("/proc/", "/sys/")
_DEVICES, _SHARED_MEMORY = "/dev/", "/dev/shm/"
_CHANCE = {"/dev/random", "/dev/urandom"}
# Through these the code of a cell opens files.
_OPENERS = {__name__, "codecs", "fileinput", "gzip", "io", "linecache", "pathlib", "pathlib._abc", "pathlib._local", "shutil", "tokenize"}
_KEPT_NAME = "__pycache__"
_KEPT_CODE = f"{os.sep}{_KEPT_NAME}"
# event -> the places of the paths that it changes
_CHANGES = {
    **dict.fromkeys(("os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.utime", "os.chmod"), (0,)),
    **dict.fromkeys(("os.rename", "shutil.move"), (0, 1)),
    **dict.fromkeys(("os.link", "os.symlink", "shutil.copyfile", "shutil.copytree"), (1,)),
}
_PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"}
# What a copy of this process does, nobody sees either.
_COPIES = {"os.fork", "os.forkpty"}
_LISTS = {"os.listdir", "os.scandir"}
_ADDRESSED = {"socket.connect", "socket.sendto", "socket.sendmsg"}


class Observer:
    """One for a process: an audit hook cannot be taken away."""

    def __init__(self):
        self._is_on = False
        self._known = set()  # names as they were given to `open`, of which nothing more can be learned in this folder
        self._clear()

    def _clear(self):
        self._more = 0  # files that were read beyond those that are told
        self._is_all_seen = True
        self._asked_for = set()  # files in places of programs that are told all the same: the cell itself opened them
        self._known.clear()
        self._read = {}  # path -> its state when it was opened; None when it was not there, or nobody looked
        self._written = set()
        self._updated = {}  # path -> its state when it was opened to be read and perhaps written to
        self._listed = {}  # as above
        self._searched = set()  # folders in which modules were looked for
        self._hosts = set()
        self._programs = set()
        self._databases = set()  # opened by SQLite itself: whether one was written to, the kernel says
        self._folder = None  # the current one, as far as it is known
        self._plain_folder = None  # the same with a separator, where whatever is opened in it counts

    def install(self):
        """Once in the life of a process, before its first cell."""
        sys.addaudithook(self._hook())
        chance.install()

    def begin(self, job, inputs):
        inputs = list(inputs)
        self._clear()
        own = (job["output_dir"], os.path.join(job["notebook_dir"], ".svc"))
        # The notebook's environment lies in its folder, and is told by its lock.
        self._own = (*(os.path.join(place, "") for place in own), *homes.OF_MODULES)
        self._inside = os.path.join(job["notebook_dir"], "")
        self._near = os.path.join(os.path.dirname(job["notebook_dir"]), "")  # notebooks may lie in a hidden folder
        self._server = _server_in(job.get("ambient"))
        self._work_dir, self._lists_here = job["work_dir"], named_places.lists_here(job["source"])
        self._named = named_places.places(job["source"], [*inputs, *job["env"].values()], job["work_dir"])
        self._watch = FolderWatch(job["work_dir"], self._named)
        chance.begin(job, inputs, self._look, self._look_by_library)
        self._is_on = True

    def end(self):
        """What was touched since `begin`; empty parts are left out."""
        if not self._is_on:
            return {}
        self._is_on = False
        opened, changed, listed, is_whole = self._watch.end()
        still_open = _open_files() if self._updated else None
        for path, state in self._updated.items():
            # What is written to a file that is still open may reach it later.
            may_change = still_open is None or os.path.realpath(path) in still_open
            if may_change or path in changed or _identity(_state(path)) != _identity(state):
                self._written.add(path)
            else:
                self._read.setdefault(path, state)
        for path in [path for path in changed if path in self._read and self._read[path] is None]:
            del self._read[path]
        # What it has read and then written to is as it should be when the run ends; what was not there before is its own.
        for path in self._written & self._read.keys():
            if self._read[path] is None:
                del self._read[path]
            else:
                self._read[path] = None
        self._written.update(path for path in changed if _KEPT_CODE not in path)
        logs = (f"{path}-wal" for path in self._databases)  # SQLite's: what is written and not yet in the file itself
        for path in (*opened, *self._databases, *filter(os.path.exists, logs)):
            if path not in self._written and _KEPT_CODE not in path:
                self._read.setdefault(path, None)
        # In its own folder modules are looked for by processes of all kinds: there the text of the cell decides.
        for path in listed:
            if self._lists_here if path == self._work_dir else path not in self._searched:
                self._listed.setdefault(path, None)
        read = {path: known for path, known in self._read.items() if self._is_told(path)}
        found = {
            "read": [[path, *_identity(read[path])] for path in sorted(read)],
            "unwatched": self._more or (0 if is_whole and self._is_all_seen else 1),
            "written": self._told(self._written),
            "listed": [[path, *_identity(self._listed[path])] for path in self._told(self._listed)],
            "hosts": sorted(self._hosts)[:MAX_TOLD],
            "programs": sorted(self._programs)[:MAX_TOLD],
            **chance.end([path for path in read if path.endswith(".py") and path.startswith(self._inside)]),
        }
        self._clear()
        return {name: value for name, value in found.items() if value}

    def _told(self, paths):
        return sorted(filter(self._is_told, paths))[:MAX_TOLD]

    def _is_told(self, path):
        place = f"{path}{os.sep}"
        if place.startswith(self._own):
            return False
        return place.startswith(self._near) or not place.startswith(_NOT_TOLD) or path in self._asked_for or self._is_named(path)

    def _is_named(self, path):
        """By its name, whoever opens it; a folder of programs that is named is full of what is theirs."""
        folder, name = os.path.split(path)
        return _is_file(path) and any(folder == place and pattern is not None and named_places.fits(name, pattern) for place, pattern in self._named)

    def _hook(self):
        """Called for everything that Python does: as little as possible happens here."""
        handlers = {
            "open": self._open,
            "socket.getaddrinfo": lambda host, port, *_: self._ask(host, port),
            "socket.gethostbyname": lambda host: self._ask(host, None),
            "socket.gethostbyaddr": lambda address: self._ask(address, None),
            **dict.fromkeys(_ADDRESSED, lambda _, address: self._ask(*address[:2]) if isinstance(address, tuple) else None),
            "os.chdir": self._leave_folder,
            "sqlite3.connect": self._connect_database,
            "ctypes.dlopen": lambda name: isinstance(name, str) and package_use.note_path(self._path(name)),
            **dict.fromkeys(_LISTS, self._list),
            **dict.fromkeys(_PROGRAMS, lambda *words: is_within_import() or self._programs.add(_program(words))),
            **dict.fromkeys(_COPIES, lambda *_: is_within_import() or self._programs.add("python")),
            **{event: self._changing(places) for event, places in _CHANGES.items()},
        }
        find = handlers.get
        known, writes, look = self._known, _WRITES, os.stat

        def hear(event, arguments):
            # What may come 10 000 times in a cell ends in the first lines.
            if event == "open" and not arguments[2] & writes:
                if self._more:
                    self._more += 1
                    return
                place = arguments[0]
                if type(place) is str:
                    if place in known:
                        return
                    # A plain name, or one below the folder that cells run in: most of what a cell opens.
                    folder = self._plain_folder
                    if folder is not None and "." not in place[:1] and place[:1] != os.sep and not _is_odd(place) and self._is_on:
                        path = folder + place
                        read = self._read
                        if path not in read and path not in self._written:
                            if len(read) >= MAX_TOLD:
                                return self._note(path)
                            try:
                                read[path] = look(place)
                            except OSError:
                                read[path] = None
                        known.add(place)
                        return
            handle = find(event)
            if handle is not None and self._is_on:
                handle(*arguments)

        return hear

    def _leave_folder(self, _):
        """It may still fail."""
        self._folder = self._plain_folder = None
        self._known.clear()

    def _changing(self, places):
        def change(*arguments):
            paths = (self._path(arguments[at]) for at in places if isinstance(arguments[at], (str, bytes)))
            self._written.update(path for path in paths if self._counts(path))

        return change

    def _list(self, place):
        if isinstance(place, int):
            return
        path = self._path(place or ".")
        if os.path.join(path, "") not in homes.OF_MODULES or not _is_listed_for_import():
            package_use.note_folder(path)
        if is_within_import():
            self._searched.add(path)  # modules are looked for everywhere
            return
        if path not in self._listed and len(self._listed) < MAX_TOLD:
            self._listed[path] = _state(path)

    def _connect_database(self, place):
        name = _text(place)
        package_use.note_path(self._path(unquote(urlsplit(name).path) if name.startswith("file:") else place))
        if name and name != ":memory:" and not name.startswith("file:") and self._counts(self._path(place)):
            self._databases.add(self._path(place))

    def _ask(self, host, port):
        if (_text(host), _text(port)) != self._server and not is_within_import():
            self._hosts.add(_text(host))

    def _open(self, place, _mode, flags):
        if isinstance(place, int):
            return
        path = self._path(place)
        if flags & _WRITES:
            if not self._counts(path):
                return
            if flags & _WRITES == _UPDATES and path not in self._written:
                self._updated.setdefault(path, _state(path))
            else:
                self._written.add(path)
            return
        if path.endswith(".pyc"):
            path = _source_of(path)
        if path in self._read or path in self._written:
            self._know(place)
        elif os.path.join(path, "") in homes.OF_MODULES:
            package_use.note_folder(path)
        elif self._never_counts(path):
            if path.startswith(self._own) or not path.startswith(_OF_PROGRAMS):
                package_use.note_path(path)
                self._know(place)
            elif is_asked_by_cell(_OPENERS):
                self._note_of_programs(path)
                self._know(place)
        elif path.startswith(self._inside) or not is_within_import():
            self._note(path)
            self._know(place)

    def _note_of_programs(self, path):
        """The cell's own code opened what is nobody's input otherwise."""
        if path in _CHANCE:
            chance.note_entropy()
        elif path.startswith(_MADE_UP):
            self._is_all_seen = False
        elif _is_file(path):
            self._asked_for.add(path)
            self._note(path)

    def _note(self, path):
        if len(self._read) < MAX_TOLD:
            self._read[path] = _state(path)
        else:
            self._more = 1
            self._watch.give_up()  # it would cost more than it tells

    def _look(self, place, state):
        """The cell asked whether a file is there, or of what size and age."""
        path = self._path(place)
        package_use.note_folder(path)
        if path in self._read or path in self._written or not self._counts(path) or len(self._read) >= MAX_TOLD:
            return
        if state is None or stat.S_ISREG(state.st_mode):
            self._read[path] = state

    def _look_by_library(self, place):
        path = self._path(place)
        if os.path.join(path, "") not in homes.OF_MODULES:  # `importlib.metadata` asks for the age of the folder itself
            package_use.note_path(path)

    def _know(self, place):
        if type(place) is str and len(self._known) < MAX_KNOWN:
            self._known.add(place)

    def _counts(self, path):
        """What packages do outside the notebook when they are imported is theirs: settings, fonts, caches."""
        return not self._never_counts(path) and (path.startswith(self._inside) or not is_within_import())

    def _never_counts(self, path):
        if path.startswith(self._own):
            return True
        return _KEPT_CODE in path if path.startswith(self._near) else path.startswith(_NOT_TOLD)

    def _path(self, place):
        if self._folder is None:
            self._folder = os.getcwd()
            folder = os.path.join(self._folder, "")
            if folder.startswith(self._inside) and not folder.startswith(self._own) and _KEPT_CODE not in folder:
                self._plain_folder = folder
        if type(place) is str and "." not in place[:1] and "./" not in place and not place.endswith(os.sep):
            return place if place[:1] == os.sep else f"{self._folder}{os.sep}{place}"
        try:
            return os.path.normpath(os.path.join(self._folder, os.fsdecode(place)))
        except (TypeError, ValueError):
            return ""


def _is_listed_for_import():
    """By the import system itself, which looks for one name there."""
    return is_importing(sys._getframe(3).f_code.co_filename)


def _is_odd(place):
    """A name that needs a second look: it leads elsewhere, or is what Python keeps of modules."""
    return "./" in place or _KEPT_NAME in place or place.endswith((".pyc", os.sep))


def _is_file(path):
    """No device, and nothing that the kernel makes up."""
    return path.startswith(_SHARED_MEMORY) or not path.startswith((_DEVICES, *_MADE_UP))


def _server_in(ambient):
    """Host and port of our own server, through which a cell reads what is kept under names: no stranger."""
    found = urlsplit(ambient["url"]) if ambient else None
    return (found.hostname, str(found.port)) if found else None


def _source_of(path):
    """A module is its source, not what Python keeps of it."""
    try:
        return importlib.util.source_from_cache(path)
    except ValueError:
        return path


def _state(path):
    try:
        return os.stat(path)
    except OSError:
        return None


def _open_files():
    """Of this process; None where the system does not tell."""
    try:
        numbers = os.listdir("/proc/self/fd")
    except OSError:
        return None
    return {_link(f"/proc/self/fd/{number}") for number in numbers}


def _link(place):
    try:
        return os.readlink(place)
    except OSError:
        return None  # the listing itself


def _identity(state):
    """By which a file is told from what takes its place."""
    return () if state is None else (state.st_size, str(state.st_mtime_ns), str(state.st_ino))


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
