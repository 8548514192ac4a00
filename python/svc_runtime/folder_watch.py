"""Which files below a folder were opened or changed, by whatever code: the kernel says so (inotify, Linux).

It does not say who did it: what another process opens meanwhile counts too. Elsewhere nothing is seen. The queue is left to
the end of the process: closing one takes the kernel milliseconds.
"""

import ctypes
import os
import struct
import sys

MAX_FOLDERS = 50
_MODIFY, _MOVED_TO, _CREATE, _OPEN, _IS_FOLDER = 0x2, 0x80, 0x100, 0x20, 0x40000000
_CHANGE = _MODIFY | _MOVED_TO | _CREATE  # not the end of writing: databases open to write what they only read
_OVERFLOW = 0x4000
_HEAD = struct.Struct("iIII")
_C = ctypes.CDLL(None) if sys.platform == "linux" else None


class FolderWatch:
    def __init__(self, folder):
        self._folders = {}
        self._is_whole = True
        self._queue = -1
        if _C is None:
            return
        self._queue = _C.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            self._is_whole = False
            return
        self._watch(folder)

    def _watch(self, folder):
        pending = [folder]
        while pending:
            one = pending.pop()
            if len(self._folders) == MAX_FOLDERS:
                self._is_whole = False
                return
            number = _C.inotify_add_watch(self._queue, os.fsencode(one), _OPEN | _CHANGE)
            if number < 0:
                self._is_whole = False
                return
            self._folders[number] = one
            try:
                pending += _folders_in(one)
            except OSError:
                self._is_whole = False  # it is just being deleted

    def give_up(self):
        """What was seen until now is forgotten, and what comes is not told by the kernel either."""
        self._is_whole = False
        queue, self._queue = self._queue, -1
        for number in self._folders if queue >= 0 else ():
            _C.inotify_rm_watch(queue, number)

    def end(self):
        """Files that were opened, files that were changed, and whether nothing can have been missed."""
        opened, changed = set(), set()
        if self._queue < 0:
            return opened, changed, self._is_whole
        for number, mask, name in self._events():
            if mask & _OVERFLOW:
                self._is_whole = False
            elif name and not mask & _IS_FOLDER and number in self._folders:
                path = os.path.join(self._folders[number], os.fsdecode(name))
                (changed if mask & _CHANGE else opened).add(path)
        return opened, changed, self._is_whole

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


def _folders_in(folder):
    # Most file systems count a link for each folder in it, and a folder may hold very many files.
    if os.stat(folder).st_nlink == 2:
        return []
    with os.scandir(folder) as entries:
        return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
