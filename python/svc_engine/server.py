"""The loop of an engine process: read a request, say that it has begun, run it, answer; one at a time, in order.

Whatever an operation raises becomes an answer. The process ends when the server closes the pipe or dies, even in the
middle of an operation.
"""

import _thread
import json
import os
import select
import signal
import sys

from svc_engine.frames import FrameTooLarge, encode_frame, read_frame, write_frame

PROTOCOL = 1
REQUESTS_FD = 3
ANSWERS_FD = 4
# The parser and the symbol table recurse in C and our own walks in Python. The limit decides, not the stack: a source
# nested too deeply has to end as RecursionError and not as a dead process. Untouched stack costs no memory.
STACK_BYTES = 512 * 1024 * 1024
RECURSION_LIMIT = 8000
MAX_MESSAGE_CHARACTERS = 10_000


class UnknownOperation(LookupError):
    pass


def serve(operations):
    """Answer requests with `operations`, a mapping of name to a function of the request's parameters."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the server decides what ends.
    sys.stdout.reconfigure(line_buffering=True)
    for descriptor in (REQUESTS_FD, ANSWERS_FD):
        os.set_inheritable(descriptor, False)
    sys.setrecursionlimit(RECURSION_LIMIT)
    _thread.stack_size(STACK_BYTES)
    _thread.start_new_thread(_answer_until_closed, (operations,))
    _thread.stack_size(0)  # threads that an operation starts walk through nothing deep
    _wait_for_hangup()


def _wait_for_hangup():
    # Asking for no event reports the hangup alone, so this thread never competes for the requests.
    poll = select.poll()
    poll.register(REQUESTS_FD, 0)
    poll.poll()
    os._exit(0)


def _answer_until_closed(operations):
    requests = open(REQUESTS_FD, "rb", closefd=False)
    answers = open(ANSWERS_FD, "wb", closefd=False)
    try:
        write_frame(answers, encode_frame({"kind": "ready", "protocol": PROTOCOL, "python": sys.version.split()[0]}))
        while (body := read_frame(requests)) is not None:
            _answer(operations, answers, body)
    except BrokenPipeError:
        pass
    except FrameTooLarge as problem:
        print(f"svc_engine: {problem}; the stream cannot be trusted any more", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def _answer(operations, answers, body):
    request_id = None
    try:
        request = json.loads(body)
        request_id = request["id"]
        operation = operations.get(request["op"])
        if operation is None:
            raise UnknownOperation(f"{request['op']!r} is none of {', '.join(sorted(operations))}")
        write_frame(answers, encode_frame({"kind": "begun", "id": request_id}))
        result = operation(request["params"])
        frame = encode_frame({"kind": "result", "id": request_id, "result": result, **_arrow_memory()})
    except BrokenPipeError:
        raise
    except BaseException as problem:  # SystemExit too: an operation must not end the loop
        error = {"type": type(problem).__name__, "message": str(problem)[:MAX_MESSAGE_CHARACTERS]}
        frame = encode_frame({"kind": "error", "id": request_id, "error": error, **_arrow_memory()})
    write_frame(answers, frame)


def _arrow_memory():
    """What Arrow holds, told with every answer, so that nobody has to ask and wait; nothing where Arrow is not loaded."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or not hasattr(pyarrow, "default_memory_pool"):
        return {}
    pool = pyarrow.default_memory_pool()
    held = pool.bytes_allocated()
    return {"memory": {"pool": pool.backend_name, "held": held, "highest": pool.max_memory() or held}}
