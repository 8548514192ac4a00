"""What a zygote stands on, and how it grows: a copy loads more modules ahead, while the first goes on serving.

The copy speaks with the server on a pair of pipes that the first was given for it. Whatever an import does to the copy, a
thread, a device, a crash, a hang, the first is as it was.
"""

import gc
import json
import os
import signal
import sys
import warnings

from svc_runtime import ahead, envelope, harness, import_hooks
from svc_runtime.channel import write_all
from svc_runtime.descendants import adopt_orphans
from svc_runtime.shelf import shelf
from svc_runtime.values import rehearsal

PYTHON = sys.version.split()[0]
FIRST_FD = 3


class Ground:
    """Descriptors of a zygote. `channels`: pairs to the server, one for it and one for each copy that may follow."""

    def __init__(self, channels, own):
        self.channels = channels
        self.own = own
        self.requests, self.answers = channels[own]
        self.wake_read, self.wake = os.pipe()
        for descriptor in (self.wake_read, self.wake):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(self.wake, warn_on_full_buffer=False)
        adopt_orphans()

    @property
    def is_first(self):
        return self.own == 0

    @property
    def descriptors(self):
        return [*(descriptor for pair in self.channels.values() for descriptor in pair), self.wake_read, self.wake]


def begin(count):
    """The ground of the first of a family."""
    end = FIRST_FD + 2 * count
    for descriptor in range(FIRST_FD, end):
        os.set_inheritable(descriptor, False)
    os.closerange(end, 4096)  # what the server itself inherited is none of a cell's business
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the server decides what ends
    signal.signal(signal.SIGCHLD, lambda *_: None)
    import_hooks.install()
    shelf.install()
    return Ground({channel: (FIRST_FD + 2 * channel, FIRST_FD + 2 * channel + 1) for channel in range(count)}, 0)


def copy(ground, channel, private):
    """(None, process id of the copy) in the first; (its ground, 0) in the copy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid != 0:
        let_go(ground, [channel])
        return None, pid
    signal.set_wakeup_fd(-1)
    later = {number: pair for number, pair in ground.channels.items() if number >= channel}
    kept = {descriptor for pair in later.values() for descriptor in pair}
    for descriptor in private:
        if descriptor not in kept:
            os.close(descriptor)
    return Ground(later, channel), 0


def let_go(ground, channels):
    """Close these pairs: as long as anybody holds one, the server does not see that whoever speaks on it has ended."""
    for channel in list(channels):
        for descriptor in ground.channels.pop(channel, ()):
            os.close(descriptor)


def load(modules, ground):
    """Load, telling of each module; a process that must not be forked afterwards says so and ends."""

    def tell(kind, facts):
        write_all(ground.answers, envelope.pack(kind, 0, json.dumps(facts).encode()))

    try:
        tell(envelope.LOADING, {"pid": os.getpid(), "name": None})
        return ahead.load(modules, lambda name: tell(envelope.LOADING, {"pid": os.getpid(), "name": name}), to_fork=True)
    except ahead.Unfit as problem:
        tell(envelope.UNFIT, {"name": problem.name, "why": problem.why, "spare": False})
    except BrokenPipeError:
        pass
    os._exit(0)


def settle_down():
    """Before the first cell process: touch what all of them touch, and make the rest theirs to share."""
    harness.rehearse()
    rehearsal.rehearse_from(shelf)
    gc.collect()
    gc.disable()
    gc.freeze()  # collecting in a child must not touch, and so copy, the pages that it shares with us


def buried(copies):
    """Those of these process ids that have ended. One whose parent has not ended yet is not ours to bury."""
    gone = set()
    for pid in copies:
        try:
            if os.waitpid(pid, os.WNOHANG)[0] == pid:
                gone.add(pid)
        except ChildProcessError:
            pass
    return gone
