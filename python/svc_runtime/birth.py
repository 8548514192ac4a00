"""How a cell process comes into the world: forked from this process, or started afresh where forking is not allowed.

Either way it gets pipes of its own for its orders, its answers and its console, and holds no other descriptor of ours.
"""

import json
import os
import secrets
import sys
import warnings

from svc_runtime.channel import SECRET_BYTES, write_all

CAN_FORK = hasattr(os, "fork")


class Birth:
    """What a new cell process is born with."""

    def __init__(self, orders, answers, secret, parent):
        self.orders = orders
        self.answers = answers
        self.secret = secret
        self.parent = parent
        self.ahead = None  # modules to load; None for a forked process, which has them


class Pipes:
    """Both ends of the four pipes of one cell process."""

    def __init__(self):
        made = []
        try:
            for _ in range(4):
                made += os.pipe()
        except OSError:
            _close(made)
            raise
        self.orders_read, self.orders, self.answers, self.answers_write = made[:4]
        self.stdout, self.stdout_write, self.stderr, self.stderr_write = made[4:]
        self.secret = secrets.token_bytes(SECRET_BYTES)

    @property
    def ours(self):
        return self.orders, self.answers, self.stdout, self.stderr

    @property
    def theirs(self):
        return self.orders_read, self.answers_write, self.stdout_write, self.stderr_write

    def close_theirs(self):
        _close(self.theirs)

    def close(self):
        _close(self.ours + self.theirs)


def fork(pipes, private):
    """The new process's id; or in the new process itself a Birth. `private`: descriptors that it must not keep."""
    parent = os.getpid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of numpy's BLAS, which survives a fork
        pid = os.fork()
    if pid != 0:
        return pid
    _close((*private, *pipes.ours))
    os.setsid()
    _place(pipes.stdout_write, 1)
    _place(pipes.stderr_write, 2)
    return Birth(pipes.orders_read, pipes.answers_write, pipes.secret, parent)


def spawn(pipes, ahead):
    """Start a fresh interpreter, which loads the modules `ahead` before it waits for orders; give back its process id."""
    import subprocess  # few zygotes start any

    options = {
        "orders": pipes.orders_read,
        "answers": pipes.answers_write,
        "parent": os.getpid(),
        "ahead": list(ahead),
    }
    process = subprocess.Popen(
        [sys.executable, os.path.dirname(os.path.abspath(__file__)), "cell", json.dumps(options)],
        stdin=subprocess.DEVNULL,
        stdout=pipes.stdout_write,
        stderr=pipes.stderr_write,
        pass_fds=(pipes.orders_read, pipes.answers_write),
        start_new_session=True,
    )
    process.returncode = 0  # the zygote itself waits for it
    write_all(pipes.orders, pipes.secret)  # arguments could be read by anyone
    return process.pid


def _place(descriptor, wanted):
    os.dup2(descriptor, wanted, inheritable=True)
    os.close(descriptor)


def _close(descriptors):
    for descriptor in descriptors:
        os.close(descriptor)
