"""The life of a cell process: get ready, wait parked for orders, carry them out, answer once, leave.

One that its cell left as it was stays for the next. All that can be done before the orders come is done before, so that a run pays only for its own code.
"""

import atexit
import faulthandler
import gc
import json
import os
import select
import signal
import sys

from svc_runtime import ahead, asking, attached, completer, harmless, harness, import_hooks, inspector, keeper
from svc_runtime.birth import Birth
from svc_runtime.channel import (
    IMPORTING,
    LEAVING,
    LOADING,
    PARKED,
    SECRET_BYTES,
    STAYING,
    Channel,
    ChannelLost,
    read_exactly,
    read_message,
)
from svc_runtime.descendants import adopt_orphans, die_with
from svc_runtime.effects import observer
from svc_runtime.settings import settings
from svc_runtime.shelf import shelf
from svc_runtime.values import rehearsal

# Libraries and tables take milliseconds of their own: not while one cell follows the other.
REHEARSE_MORE_AFTER_SECONDS = 0.02
# As in Jupyter's kernel.
RECURSION_LIMIT = 3000


def spawned(options):
    """The Birth of a process that was started and not forked."""
    options = json.loads(options)
    for descriptor in (options["orders"], options["answers"]):
        os.set_inheritable(descriptor, False)
    import_hooks.install()
    shelf.install()
    secret = read_exactly(options["orders"], SECRET_BYTES)
    if secret is None:
        os._exit(0)
    birth = Birth(options["orders"], options["answers"], secret, options["parent"])
    birth.ahead = options["ahead"]
    return birth


def _load_ahead(names, channel):
    """Of a process that was started afresh: it may hold threads and devices, since nobody will fork it."""
    ahead.load(names, lambda name: channel.send({"name": name}, LOADING), to_fork=False)
    shelf.put()
    channel.send(None, PARKED)


def live(birth):
    adopt_orphans()
    die_with(birth.parent)
    _take_back_signals()
    _open_streams()
    gc.enable()
    observer.install()
    settings.install()
    sys.setrecursionlimit(max(RECURSION_LIMIT, sys.getrecursionlimit()))
    channel = Channel(birth.answers, birth.secret)
    if birth.ahead is None:
        shelf.be_random()
    else:
        _load_ahead(birth.ahead, channel)
    learner = ahead.Learner(lambda name: channel.send({"name": name}, IMPORTING))
    if not _is_called(birth.orders, 0):
        harness.rehearse()
    if not _is_called(birth.orders, REHEARSE_MORE_AFTER_SECONDS):
        shelf.touch()
        rehearsal.rehearse_from(shelf)
    beginning = harmless.Beginning()
    try:
        while _carry_out(read_message(birth.orders), birth.orders, channel, learner) and beginning.returns():
            channel.send(None, STAYING)
        _tidy_up()
        channel.send(None, LEAVING)
    except ChannelLost:
        os._exit(harness.CUT_OFF_STATUS)
    os._exit(0)  # without waiting for threads


def _carry_out(orders, descriptor, channel, learner):
    """Whether the process is fit for another cell afterwards."""
    if orders is None:
        os._exit(0)
    if orders["task"] == "inspect":
        inspector.serve(orders, descriptor, channel)
        return False
    if orders["task"] == "complete":
        completer.serve(orders, descriptor, channel)
        return False
    if orders["task"] == "keep":
        keeper.serve(orders, descriptor, channel)
        return False
    asking.desk.begin(descriptor if orders["asks"] else None, channel)
    attached.editor.begin(orders["attaches"])
    orders["is_plain"] = harmless.is_plain_job(orders)
    if orders["is_plain"]:
        return harmless.is_plain_result(harness.carry_out(orders, channel, learner))
    if not orders["asks"]:
        os.close(descriptor)
    harness.carry_out(orders, channel, learner)
    return False


def _is_called(orders, seconds):
    """Whether orders arrive within this time."""
    return bool(select.select([orders], [], [], seconds)[0])


def _take_back_signals():
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _open_streams():
    # Text appears line by line. What UTF-8 cannot say (a lone surrogate) is shown escaped and not refused.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True, write_through=False)
    faulthandler.enable()


_POOLS = ("joblib.externals.loky.reusable_executor", "loky.reusable_executor")


def _end_pools():
    """joblib keeps its processes for the next call. One that still starts would miss what goes now, and say so in the console."""
    for name in _POOLS:
        pool = getattr(sys.modules.get(name), "_executor", None)
        if pool is not None:
            pool.shutdown(wait=True, kill_workers=True)


def _tidy_up():
    try:
        _end_pools()
        atexit._run_exitfuncs()
    except BaseException:
        pass  # reported on stderr by the interpreter
    harness.flush_streams()
