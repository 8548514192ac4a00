"""One cell process as its zygote sees it, from birth to burial: parked, given a job, parked again or buried whole.

It stays unburied until its group has been ended, because only then is its number sure to be still its own.
"""

import json
import os
import signal
import time

from svc_runtime import birth, envelope
from svc_runtime.channel import (
    IMPORTING,
    LEAVING,
    LOADING,
    PARKED,
    RESULT,
    STAYING,
    MessageReader,
    message_bytes,
)
from svc_runtime.descendants import end_group

# What a pipe holds on Linux when nobody asks for more.
PIPE_BYTES = 64 * 1024
# How long the import of one module may take when nobody waits for it.
LOAD_SECONDS = 120
# How long a process may take to leave once it has given its result: its `atexit` functions run in this time.
LEAVE_SECONDS = 0.25


class CellProcess:
    def __init__(self, pid, pipes, is_parked):
        self.pid = pid
        self.is_parked = is_parked  # ready for orders: a forked process always is
        self.loading = None  # the module that it is about to load
        self.was_late = False
        self.run = None
        self.orders, self.answers, self.stdout, self.stderr = pipes.ours
        self.kill_at = None
        self.is_over = False
        self.is_free = False  # done with its run, and fit for another
        self._messages = MessageReader(pipes.secret)
        self._unsent = bytearray()
        self._was_stopped = False
        self._status = None

    @property
    def descriptors(self):
        return self.orders, self.answers, self.stdout, self.stderr

    @property
    def has_unsent(self):
        return bool(self._unsent)

    def say(self, body):
        """Send orders; False when the process is dead and cannot have got them whole."""
        self._unsent += message_bytes(body)
        return self.send_unsent()

    def send_unsent(self):
        try:
            while self._unsent:
                del self._unsent[: os.write(self.orders, self._unsent)]
        except BlockingIOError:
            pass  # the rest follows when it reads
        except BrokenPipeError:
            self._unsent.clear()
            return False
        return True

    def stop(self, grace):
        """Ask the whole group to end; whoever has not after `grace` seconds is ended."""
        self._was_stopped = True
        end_group(self.pid, signal.SIGTERM)
        self._end_within(grace)

    def _end_within(self, seconds):
        moment = time.monotonic() + seconds
        self.kill_at = moment if self.kill_at is None else min(self.kill_at, moment)

    def end(self):
        if not self.is_over:
            end_group(self.pid)
        self.kill_at = None

    def read_console(self, kind, limit=PIPE_BYTES):
        """An envelope with what the stream holds; None when there is nothing yet, b"" when nothing will follow."""
        data = read_now(self.stdout if kind == envelope.STDOUT else self.stderr, limit)
        return envelope.pack(kind, self.run, data) if data else data

    def read_answers(self):
        """Envelopes with the messages that came, each after the console text written before it; None at the end."""
        data = read_now(self.answers, 16 * PIPE_BYTES)
        if data == b"":
            return None
        packed = []
        for kind, body in self._messages.feed(data or b""):
            if kind == LEAVING or (kind == STAYING and self._was_stopped):
                packed += self._end_run({"status": 0, "signal": None})
                break
            if kind == STAYING:
                self.kill_at = None
                self.is_free = True
                packed += [*self._drain_console(), self._ended({"status": 0, "signal": None})]
                break
            if kind in (LOADING, PARKED):
                self._come_closer(kind, body)
                continue
            if kind == IMPORTING:
                packed.append(envelope.pack(envelope.IMPORTING, self.run or 0, body))
                continue
            packed += self._drain_console()
            packed.append(envelope.pack(envelope.RESULT if kind == RESULT else envelope.MESSAGE, self.run, body))
            if kind == RESULT:
                self._end_within(LEAVE_SECONDS)
        return packed

    def _come_closer(self, kind, body):
        self.is_parked = kind == PARKED
        self.loading = None if self.is_parked else json.loads(body)["name"]
        self.kill_at = None if self.is_parked else time.monotonic() + LOAD_SECONDS

    def why_it_ended(self):
        """Of a process that did not get as far as to wait for orders."""
        if self.was_late:
            return f"its import takes longer than {LOAD_SECONDS} s"
        code = os.waitstatus_to_exitcode(self._status)
        return f"its import ended the process ({f'signal {-code}' if code < 0 else f'status {code}'})"

    def _end_run(self, ending):
        """With its group ended no code of the cell runs any more: the run is over, however long the burial takes."""
        if self.is_over:
            return []
        self.end()
        self.is_over = True
        return [*self._drain_console(), self._ended(ending)]

    def _ended(self, ending):
        return envelope.pack(envelope.ENDED, self.run or 0, json.dumps(ending).encode())

    def _drain_console(self):
        packed = []
        for kind in (envelope.STDOUT, envelope.STDERR):
            # A descendant that never stops writing must not hold us here: a pipe's worth was there at the moment.
            for _ in range(16):
                data = self.read_console(kind)
                if not data:
                    break
                packed.append(data)
        return packed

    def has_exited(self):
        if self._status is not None:
            return True
        if hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        pid, status = os.waitpid(self.pid, os.WNOHANG)  # macOS before Python 3.13
        self._status = status if pid else None
        return pid != 0

    def bury(self):
        """End what is left of the group once the process itself has exited, and give the last envelopes of its run."""
        self.end()
        if self._status is None:
            _, self._status = os.waitpid(self.pid, 0)
        packed = []
        while not self.is_over and (answers := self.read_answers()):
            packed += answers
        code = os.waitstatus_to_exitcode(self._status)
        packed += self._end_run({"status": code if code >= 0 else None, "signal": -code if code < 0 else None})
        for descriptor in self.descriptors:
            os.close(descriptor)
        return packed


def bear(fork, private, ahead):
    """A new CellProcess; in the forked process itself, its Birth. `ahead`: what a process that is not forked loads."""
    pipes = birth.Pipes()
    try:
        born = birth.fork(pipes, private) if fork else birth.spawn(pipes, ahead)
    except OSError:
        pipes.close()
        raise
    if isinstance(born, birth.Birth):
        return born
    pipes.close_theirs()
    for descriptor in pipes.ours:
        os.set_blocking(descriptor, False)
    return CellProcess(born, pipes, is_parked=fork)


def read_now(descriptor, count):
    """What is there; b"" at the end of the pipe, None when there is nothing yet."""
    try:
        return os.read(descriptor, count)
    except BlockingIOError:
        return None
