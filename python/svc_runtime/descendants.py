"""No process outlives its run. A process group catches the obedient; on Linux the rest cannot get away either.

Each cell process and the zygote adopt their orphans. As long as a cell process lives, what it started stays below it;
once it is gone, its orphans become children of the zygote, which knows all its own and ends any other. And a cell
process whose zygote dies is ended by the kernel.
"""

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CHILDREN = "/proc/thread-self/children"


def _find_prctl():
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        return ctypes.CDLL(None, use_errno=True).prctl
    except (ImportError, OSError, AttributeError):
        return None


_prctl = _find_prctl()


def adopt_orphans():
    # Whoever cannot see its children must not adopt any: nobody would ever bury them.
    if _prctl is not None and os.path.exists(_CHILDREN):
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with(parent):
    """Ask the kernel to end this process when `parent`, which started it, ends."""
    if _prctl is None:
        return
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before we asked
        os._exit(1)


def strangers_beside(known):
    return [pid for pid in _children() if pid not in known]


def end_strangers(known, spares_own_group=False):
    """End and bury every child of this process that is not in `known`; True when there were any."""
    strangers = strangers_beside(known)
    if spares_own_group:
        strangers = [pid for pid in strangers if not _is_in_own_group(pid)]
    for pid in strangers:
        _quietly(os.kill, pid, signal.SIGKILL)
        _quietly(os.waitpid, pid, 0)
    return bool(strangers)


def end_group(leader, how=signal.SIGKILL):
    """Send a signal to the group of `leader`, a child of this process that is not buried yet."""
    try:
        os.killpg(leader, how)
    except ProcessLookupError:
        _quietly(os.kill, leader, how)  # forked a moment ago: it leads no group yet, and has started nothing
    except PermissionError:
        pass  # a zombie alone in its group (macOS)


def _is_in_own_group(pid):
    try:
        return os.getpgid(pid) == os.getpgrp()
    except ProcessLookupError:
        return False


def _quietly(act, *arguments):
    try:
        act(*arguments)
    except (ProcessLookupError, ChildProcessError, PermissionError):
        pass  # gone already


def _children():
    try:
        with open(_CHILDREN, "rb") as listing:
            return [int(pid) for pid in listing.read().split()]
    except OSError:
        return []
