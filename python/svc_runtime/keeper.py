"""A cell whose process is kept for its widgets: it is run once more, and then hears what people do with them. Nothing is stored."""

import base64
import contextlib
import io
import os
import threading
import time

from svc_runtime import comms, displays, errors, harness
from svc_runtime.cell import Cell
from svc_runtime.channel import read_message
from svc_runtime.settings import settings
from svc_runtime.values import preview

LOOK_EVERY_SECONDS = 0.5


def serve(job, orders, channel):
    told = []
    comms.desk.begin(job["cell_id"])
    displays.begin(lambda value, stem: print(preview.of_repr(value)) or {"content_type": "error"})
    if job["most_bytes"] is not None:
        _watch_memory(job["most_bytes"])
    try:
        # What it printed and showed stands below the cell already.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            _run(job)
    except BaseException as problem:
        channel.send({"ok": False, "error": errors.describe(problem)["text"]})
        return
    channel.send({"ok": True, "messages": _whole()})
    comms.desk.tell = lambda *message: told.append(message)
    while (message := read_message(orders)) is not None:
        if message["ask"] == "state":
            answer = _whole()
        else:
            for one in message["messages"]:
                _hear(one)
            answer = [_written(*one) for one in told]
            told.clear()
        harness.flush_streams()
        if not channel.is_owner:
            os._exit(0)
        channel.send({"ok": True, "messages": answer})


def _run(job):
    namespace = harness.enter(job)
    settings.begin(job["settings"], job["source"])
    namespace.update((name, harness.read_input(name, spec)) for name, spec in job["inputs"].items())
    before = displays.collect([])
    try:
        Cell(job["cell_id"], job["source"]).run(namespace)
    finally:
        displays.put_back(before)


def _hear(message):
    comm = comms.desk.comms.get(message["model"])
    if comm is None:
        return
    buffers = [memoryview(base64.b64decode(buffer)) for buffer in message["buffers"]]
    try:
        comm.handle_msg({"content": {"comm_id": message["model"], "data": message["data"]}, "buffers": buffers})
    except Exception as problem:
        print(errors.describe(problem)["text"])


def _whole():
    """All widgets as they are, for a page that begins to listen."""
    return [
        _written(
            name,
            "comm_open",
            {"state": model.state, "buffer_paths": [list(path) for path in model.buffers]},
            model.buffers.values(),
        )
        for name, model in comms.desk.models.items()
    ]


def _written(model, kind, data, buffers):
    encoded = [base64.b64encode(buffer).decode("ascii") for buffer in buffers]
    return {"model": model, "kind": kind, "data": data, "buffers": encoded}


def _watch_memory(most):
    def watch():
        while _memory() <= most:
            time.sleep(LOOK_EVERY_SECONDS)
        print(f"This process was ended: it took more than {most // 2**20} MiB.", flush=True)
        os._exit(1)

    if os.path.exists("/proc/self/statm"):
        threading.Thread(target=watch, daemon=True).start()


def _memory():
    """What is this process's own: pages that it shares with the one it was copied from cost nothing."""
    with open("/proc/self/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
