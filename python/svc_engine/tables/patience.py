"""Ends connections to object stores that go nowhere. The clients of Google Cloud Storage and Azure that Arrow brings take no
time-outs, so what the kernel knows of their sockets is looked at beside them: a connection that is cut fails the call that waits
for it. Only where the kernel tells (Linux); elsewhere the time for the whole plan or read is what bounds a call."""

import os
import socket
import ssl
import struct
import threading
import time
import urllib.error
import urllib.request

ESTABLISHED = 1
CONNECTING = 2
# In `struct tcp_info`: the state, and how many milliseconds ago data was last sent and received.
STATE = struct.Struct("B")
SENT_AND_RECEIVED = struct.Struct("=I4xI")
SENT_AT = 44
LONGEST = 104
LOOKS = 4

_guard = None


def guard(connect_seconds, request_seconds):
    """From now on, for all TCP connections of this process."""
    global _guard
    if _guard is None and hasattr(socket, "TCP_INFO") and os.path.isdir("/proc/self/fd"):
        _guard = threading.Thread(target=watch, args=(connect_seconds, request_seconds), daemon=True)
        _guard.start()


def answers(address, request_seconds):
    """Raises OSError where nobody answers. For clients that begin anew for half a minute after a connection was cut."""
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=request_seconds).close()
    except urllib.error.HTTPError:
        return
    except OSError as problem:
        # Whether the store is who it says is for the client to judge.
        if not isinstance(getattr(problem, "reason", None), ssl.SSLError):
            raise


def watch(connect_seconds, request_seconds):
    connecting = {}
    while True:
        time.sleep(min(connect_seconds, request_seconds) / LOOKS)
        found = {}
        for name, descriptor in sockets():
            try:
                with socket.socket(fileno=os.dup(descriptor)) as one:
                    since = connecting.get(name, time.monotonic())
                    state = look(one, since, connect_seconds, request_seconds)
                    if state == CONNECTING:
                        found[name] = since
            except OSError:
                pass  # It is no TCP connection, or it was closed meanwhile.
        connecting = found


def sockets():
    for entry in os.listdir("/proc/self/fd"):
        try:
            name = os.readlink(f"/proc/self/fd/{entry}")
        except OSError:
            continue
        if name.startswith("socket:"):
            yield name, int(entry)


def look(one, since, connect_seconds, request_seconds):
    info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LONGEST)
    (state,) = STATE.unpack_from(info)
    sent, received = SENT_AND_RECEIVED.unpack_from(info, SENT_AT)
    # Whoever was asked and has not answered since; one that nobody asks may rest.
    is_silent = state == ESTABLISHED and received >= sent and sent >= request_seconds * 1000
    if is_silent or (state == CONNECTING and time.monotonic() - since >= connect_seconds):
        one.shutdown(socket.SHUT_RDWR)
    return state
