"""An engine process whose operations do everything an engine should survive. Run by the tests of `src/engine`."""

import os
import sys
import time

sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from svc_engine.analysis import analyse  # noqa: E402 (the path has to be right first)
from svc_engine.frames import MAX_FRAME_BYTES  # noqa: E402
from svc_engine.server import serve  # noqa: E402


def echo(params):
    return params


def process_id(_params):
    return os.getpid()


def hang(_params):
    print("hanging", flush=True)
    time.sleep(3600)


def spin(_params):
    print("spinning", flush=True)
    while True:
        pass


def hold(params):
    """Keep a file open for as long as this process lives, so that its reader sees the end of it."""
    global held
    held = open(params["path"], "w")
    print(os.getpid(), file=held, flush=True)
    if params["spin"]:
        spin({})


def leave(params):
    os._exit(params["code"])


def kill(params):
    os.kill(os.getpid(), params["signal"])
    hang({})


def leave_system(_params):
    sys.exit("asked to leave")


def fail(params):
    raise ValueError(params["message"])


def chatter(_params):
    os.write(1, b"\x04\x00\x00\x00null\nnot a frame\n\xff\xfe\n" + b"long" * 10_000 + b"\nlast without end")
    print("warning: something", file=sys.stderr)
    return "done"


def analyse_many(params):
    """Die of one source; answer the others in the shape of the analysis."""
    if "os._exit(1)" in params["sources"]:
        os._exit(1)
    return [analyse(source) for source in params["sources"]]


def surrogate(_params):
    return "\ud800 and \U0001f600"


def not_a_number(_params):
    return float("nan")


def huge_integer(_params):
    return 10**4000


def nested(params):
    value = []
    for _ in range(params["depth"]):
        value = [value]
    return value


def huge_answer(_params):
    return "x" * (MAX_FRAME_BYTES + 1)


def lying_header(_params):
    os.write(4, b"\xff\xff\xff\xff")
    hang({})


def not_json(_params):
    os.write(4, b"\x03\x00\x00\x00{{{")
    hang({})


serve(
    {
        "echo": echo,
        "process_id": process_id,
        "hang": hang,
        "spin": spin,
        "hold": hold,
        "leave": leave,
        "kill": kill,
        "leave_system": leave_system,
        "fail": fail,
        "chatter": chatter,
        "analyse_many": analyse_many,
        "surrogate": surrogate,
        "not_a_number": not_a_number,
        "huge_integer": huge_integer,
        "nested": nested,
        "huge_answer": huge_answer,
        "lying_header": lying_header,
        "not_json": not_json,
    }
)
