"""Which files below a folder, and in places outside it that are named beforehand, were opened or changed, by whatever code, and
which folders: the kernel says so (inotify, Linux).

It does not say who did it: what another process opens meanwhile counts too. Elsewhere nothing is seen. The queue is left to
the end of the process: closing one takes the kernel milliseconds.
"""

import ctypes
import itertools
import os
import struct
import sys

from svc_runtime.named_places import fits

MAX_FOLDERS = 50
MAX_ELSEWHERE = 100
MAX_LINKS = 50
# In a folder without folders so many names are looked at for links.
MAX_NAMES = 1000
_MODIFY, _MOVED_TO, _CREATE, _OPEN, _IS_FOLDER = 0x2, 0x80, 0x100, 0x20, 0x40000000
_CHANGE = _MODIFY | _MOVED_TO | _CREATE  # not the end of writing: databases open to write what they only read
_OVERFLOW = 0x4000
_HEAD = struct.Struct("iIII")
_C = ctypes.CDLL(None) if sys.platform == "linux" else None


class FolderWatch:
    def __init__(self, folder, named=()):
        """`named`: (folder, pattern of names or None for all) of places elsewhere."""
        self._places = {}  # number -> [(folder as it is told, pattern of names, name by which a link is told)]
        self._is_whole = True
        self._queue = -1
        if _C is None:
            return
        self._queue = _C.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            self._is_whole = False
            return
        self._watch(folder, named)

    def _watch(self, folder, named):
        # All are found before the first is watched, since finding them opens them.
        inside, links, self._is_whole = _folders_below(folder, MAX_FOLDERS)
        elsewhere = []
        for link in links[:MAX_LINKS]:
            elsewhere += _places_of_link(link)
        for place, pattern in named:
            below = _folders_below(place, MAX_FOLDERS, MAX_NAMES)[0] if pattern is None else [place]
            elsewhere += [(one, (one, pattern, None)) for one in below]
        for one in inside:
            self._is_whole &= self._add(one, (one, None, None))
        for one, place in elsewhere[:MAX_ELSEWHERE]:
            self._add(one, place)

    def _add(self, folder, place):
        number = _C.inotify_add_watch(self._queue, os.fsencode(folder), _OPEN | _CHANGE)
        if number < 0:
            return False
        known = self._places.setdefault(number, [])
        # A folder that is watched as what it is needs no second name.
        if not (known and known[0][1] is None):
            known.append(place)
        return True

    def give_up(self):
        """What was seen until now is forgotten, and what comes is not told by the kernel either."""
        self._is_whole = False
        queue, self._queue = self._queue, -1
        for number in self._places if queue >= 0 else ():
            _C.inotify_rm_watch(queue, number)

    def end(self):
        """Files that were opened, files that were changed, folders that were opened, and whether nothing can have been missed."""
        opened, changed, listed = set(), set(), set()
        if self._queue < 0:
            return opened, changed, listed, self._is_whole
        for number, mask, data in self._events():
            if mask & _OVERFLOW:
                self._is_whole = False
            name = os.fsdecode(data)
            for folder, pattern, told in self._places.get(number, ()):
                if not name and mask & _OPEN and mask & _IS_FOLDER and told is None:
                    listed.add(folder)
                elif name and not mask & _IS_FOLDER and fits(name, pattern):
                    (changed if mask & _CHANGE else opened).add(os.path.join(folder, told or name))
        return opened, changed, listed, self._is_whole

    def close(self):
        """For processes that live on."""
        if self._queue >= 0:
            os.close(self._queue)
            self._queue = -1

    def _events(self):
        while True:
            try:
                data = os.read(self._queue, 65536)
            except BlockingIOError:
                return
            for event in _distinct(data):
                number, mask, _, _ = _HEAD.unpack_from(event)
                yield number, mask, event[_HEAD.size :].rstrip(b"\0")


def _distinct(data):
    """Each event once: a file that is opened in a loop gives one each time. Most are of one length, and need no look at each."""
    size = _HEAD.size + _name_length(data)
    alike = {data[at : at + size] for at in range(0, len(data), size)}
    if all(_HEAD.size + _name_length(event) == size == len(event) for event in alike):
        return alike
    events, at = set(), 0
    while at < len(data):
        end = at + _HEAD.size + _name_length(data, at)
        events.add(data[at:end])
        at = end
    return events


def _name_length(data, at=0):
    return _HEAD.unpack_from(data, at)[3] if len(data) >= at + _HEAD.size else -1


def _folders_below(folder, most, most_names=None):
    """The folder and those below it, links in them, and whether these are all."""
    found, links, pending = [], [], [folder]
    while pending:
        if len(found) >= most:
            return found, links, False
        one = pending.pop(0)  # what lies near is opened more often than what lies deep
        found.append(one)
        try:
            more, leading = _entries_of(one, most_names)
        except OSError:
            return found, links, False  # it is just being deleted
        pending += more
        links += leading
    return found, links, True


def _places_of_link(link):
    """What is watched for a link, and how it is told: an opening is told where the file lies, not where the link does."""
    target = os.path.realpath(link)
    if not os.path.isdir(target):
        return [(os.path.dirname(target), (os.path.dirname(link), os.path.basename(target), os.path.basename(link)))]
    below = _folders_below(target, MAX_FOLDERS, MAX_NAMES)[0]
    return [(one, (f"{link}{one[len(target) :]}", None, None)) for one in below]


def _entries_of(folder, most):
    # Most file systems count a link for each folder in it, and a folder may hold very many files.
    if os.stat(folder).st_nlink == 2:
        most = MAX_NAMES
    folders, links = [], []
    with os.scandir(folder) as entries:
        for entry in itertools.islice(entries, most):
            if entry.is_symlink():
                links.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
    return folders, links
