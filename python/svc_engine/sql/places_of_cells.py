"""Databases and folders that lie where cells may write. Where cells run as a user of their own, another program of that user can
put a link in the way between a look and what follows it: such places are opened as that user, who reaches no more by them."""

import os
import stat
from contextlib import contextmanager

_MOST_LINKS = 40


@contextmanager
def as_user_of_cells(places, prepare=lambda: None):
    """Does the work as the user of cells when one of the places can be changed by them, and what `prepare` does before that as
    before; otherwise all of it."""
    user = _user_of_cells()
    if user is None or not any(_is_theirs(place, user) for place in places):
        yield
        return
    prepare()
    groups, uid, gid = os.getgroups(), os.geteuid(), os.getegid()
    os.setgroups([])
    os.setegid(user.pw_gid)
    os.seteuid(user.pw_uid)
    try:
        yield
    finally:
        os.seteuid(uid)
        os.setegid(gid)
        os.setgroups(groups)


def _user_of_cells():
    """None where cells run as this process does, which only root can change."""
    name = os.environ.get("SVC_ENGINE_CELL_USER")
    if not name or os.geteuid() != 0:
        return None
    import pwd

    return pwd.getpwnam(name)


def _is_theirs(place, user):
    """Whether they may put something else there: a folder on the way, where it lies or what it is."""
    at, links = "/", 0
    left = _parts(os.path.abspath(place))
    while left:
        name = left.pop()
        if name == "..":
            at = os.path.dirname(at)
            continue
        below = os.path.join(at, name)
        try:
            found = os.lstat(below)
        except OSError:
            # Whoever makes it, and when, is for the folder to say.
            return _may_change(os.stat(at), user, new=True)
        if _may_change(found, user, new=not left):
            return True
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > _MOST_LINKS:
                return True
            target = os.readlink(below)
            left += _parts(target)
            at = "/" if target.startswith("/") else at
        else:
            at = below
    return False


def _parts(place):
    return [part for part in reversed(place.split("/")) if part not in ("", ".")]


def _may_change(found, user, new):
    """`new`: by what is not there yet, also in a folder where each may remove what is their own."""
    if found.st_uid == user.pw_uid:
        return True
    if not stat.S_ISDIR(found.st_mode):
        return False
    if found.st_mode & stat.S_ISVTX and not new:
        return False
    return bool(found.st_mode & 0o002 or (found.st_gid == user.pw_gid and found.st_mode & 0o020))
