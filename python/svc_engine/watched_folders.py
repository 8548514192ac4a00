"""Watches folders for cells whose own processes cannot: R has no word for what it opens."""

import itertools

from svc_runtime.folder_watch import FolderWatch

_MOST = 200
_numbers = itertools.count(1)
_watches = {}


def watch_folder(params):
    number = next(_numbers)
    _watches[number] = FolderWatch(params["folder"])
    while len(_watches) > _MOST:  # of runs that nobody ended
        _watches.pop(next(iter(_watches))).close()
    return number


def watched_folder(params):
    """What was opened and changed since; nothing is whole about a watch that is gone."""
    watch = _watches.pop(params["number"], None)
    opened, changed, _, is_whole = watch.end() if watch else ((), (), (), False)
    if watch:
        watch.close()
    return {"opened": sorted(opened), "changed": sorted(changed), "isWhole": is_whole}
