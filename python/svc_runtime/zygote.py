"""The loop of a notebook's zygote: hand jobs to parked cell processes, pass on what they say, bury them.

It runs no code of the notebook itself. It ends, with everything below it, when the server closes the pipe or dies.
Forks happen at one place, and the loop returns there, in the new process only.
"""

import gc
import json
import os
import select
import signal
import sys
import time

from svc_runtime import envelope, harness, import_hooks, preload
from svc_runtime.birth import CAN_FORK, Birth
from svc_runtime.channel import write_all
from svc_runtime.descendants import adopt_orphans, end_strangers
from svc_runtime.nursery import PIPE_BYTES, bear, read_now
from svc_runtime.values import rehearsal

PROTOCOL = 1
REQUESTS_FD = 3
ANSWERS_FD = 4
# Forking takes milliseconds in which nothing is passed on. A free place is filled when no cell runs and nothing has
# happened for the shorter time, or after the longer one in any case. But when nobody is left, cells follow each other:
# the next process is born at once, while the cell that took the last one runs.
QUIET_SECONDS = 0.002
REFILL_SECONDS = 0.05
STOP_GRACE_SECONDS = 0.003


def serve(options):
    """Serve until the server goes away. Returns, with a Birth, in forked cell processes only."""
    return Zygote(json.loads(options)).loop()


class Zygote:
    def __init__(self, options):
        self.fork = CAN_FORK and options["fork"]
        self.places = options["places"]
        self.preload = options["preload"]
        self.reader = envelope.Reader()
        self.alive = {}  # process id -> CellProcess, the parked ones included
        self.parked = []
        self.runs = {}  # run -> CellProcess
        self.owners = {}  # watched descriptor -> CellProcess
        self.waiting = []  # (run, job) without a process yet
        self.short_since = None
        self.rests_until = 0.0  # after a birth that failed
        self.poll = select.poll()
        self._prepare()

    def _prepare(self):
        for descriptor in (REQUESTS_FD, ANSWERS_FD):
            os.set_inheritable(descriptor, False)
        os.closerange(ANSWERS_FD + 1, 4096)  # what the server itself inherited is none of a cell's business
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the server decides what ends
        self.wake_read, self.wake = os.pipe()
        for descriptor in (self.wake_read, self.wake):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(self.wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.poll.register(REQUESTS_FD, select.POLLIN)
        self.poll.register(self.wake_read, select.POLLIN)
        adopt_orphans()
        import_hooks.install()
        loaded = preload.load(preload.fork_safe(self.preload)) if self.fork else []
        harness.rehearse()
        rehearsal.rehearse()
        gc.collect()
        gc.disable()
        gc.freeze()  # collecting in a child must not touch, and so copy, the pages that it shares with us
        ready = {"protocol": PROTOCOL, "python": sys.version.split()[0], "fork": self.fork, "loaded": loaded}
        self._send(envelope.pack(envelope.READY, 0, json.dumps(ready).encode()))

    def loop(self):
        while True:
            events = self.poll.poll(self._patience())
            for descriptor, _ in events:
                self._attend(descriptor)
            self._end_the_late()
            self._assign()
            while self.waiting or self._should_refill(quiet=not events):
                born = self._bear()
                if isinstance(born, Birth):
                    return born
                self._assign()

    def _bear(self):
        try:
            born = bear(self.fork, self._private(), self.preload)
        except OSError as problem:  # no memory, too many processes or descriptors
            self.rests_until = time.monotonic() + REFILL_SECONDS
            for run, _ in self.waiting:
                self._refuse(run, f"no process could be started ({problem})")
            self.waiting = []
            return None
        if not isinstance(born, Birth):
            self.alive[born.pid] = born
            self.parked.append(born)
        return born

    def _refuse(self, run, why):
        ending = {"status": None, "signal": None, "lost": why}
        self._send(envelope.pack(envelope.ENDED, run, json.dumps(ending).encode()))

    def _attend(self, descriptor):
        if descriptor == REQUESTS_FD:
            self._receive()
        elif descriptor == self.wake_read:
            read_now(self.wake_read, PIPE_BYTES)
            self._bury_the_dead()
        elif descriptor in self.owners:
            self._relay(self.owners[descriptor], descriptor)

    def _receive(self):
        data = os.read(REQUESTS_FD, 1 << 20)
        if not data:
            self._leave()
        for kind, run, payload in self.reader.feed(data):
            if kind == envelope.START:
                self.waiting.append((run, payload))
            elif kind == envelope.STOP:
                self._stop(run)
            elif kind == envelope.SAY and run in self.runs:
                self._say(self.runs[run], payload)

    def _stop(self, run):
        if run in self.runs:
            self.runs[run].stop(STOP_GRACE_SECONDS)
        else:
            self.waiting = [entry for entry in self.waiting if entry[0] != run]
            self._refuse(run, "it was stopped before it began")

    def _say(self, process, payload):
        heard = process.say(payload)
        if process.has_unsent:
            self._watch(process, process.orders, select.POLLOUT)
        return heard

    def _relay(self, process, descriptor):
        if descriptor == process.orders:
            process.send_unsent()
            if not process.has_unsent:
                self._unwatch(descriptor)
        elif descriptor == process.answers:
            packed = process.read_answers()
            if packed is None:
                self._unwatch(descriptor)  # no news by itself: it has ended, or the cell closed it and goes on
                return
            self._send(b"".join(packed))
            if process.is_over or process.is_free:
                self._forget_run(process)
            if process.is_free:
                self._park_again(process)
        else:
            kind = envelope.STDOUT if descriptor == process.stdout else envelope.STDERR
            packed = process.read_console(kind)
            if packed:
                self._send(packed)
            elif packed == b"":
                self._unwatch(descriptor)

    def _park_again(self, process):
        process.run = None
        process.is_free = False
        self.parked.insert(0, process)  # the next cell finds its memory at hand
        if len(self.parked) > self.places:
            self.parked.pop().end()

    def _assign(self):
        while self.waiting and self.parked:
            run, job = self.waiting[0]
            process = self.parked.pop(0)
            process.run = run
            if not self._say(process, job):
                process.run = None  # it died while parked and never got the job: the next one takes it
                continue
            self.waiting.pop(0)
            self.runs[run] = process
            for descriptor in (process.answers, process.stdout, process.stderr):
                self._watch(process, descriptor, select.POLLIN)
            self._send(envelope.pack(envelope.BEGUN, run, json.dumps({"pid": process.pid}).encode()))

    def _should_refill(self, quiet):
        if len(self.parked) >= self.places:
            self.short_since = None
            return False
        now = time.monotonic()
        if self.short_since is None:
            self.short_since = now
        if now < self.rests_until:
            return False
        return not self.parked or (quiet and not self.runs) or now - self.short_since > REFILL_SECONDS

    def _patience(self):
        """Milliseconds until something has to be done although nothing has arrived; None for ever."""
        seconds = [process.kill_at - time.monotonic() for process in self.alive.values() if process.kill_at is not None]
        if len(self.parked) < self.places:
            seconds.append(REFILL_SECONDS if self.runs else QUIET_SECONDS)
        return max(0.0, min(seconds)) * 1000 if seconds else None

    def _end_the_late(self):
        now = time.monotonic()
        for process in self.alive.values():
            if process.kill_at is not None and process.kill_at <= now:
                process.end()

    def _bury_the_dead(self):
        for process in [process for process in self.alive.values() if process.has_exited()]:
            del self.alive[process.pid]
            packed = process.bury()
            if process.run in self.runs:
                self._send(b"".join(packed))
            self._forget_run(process)
            if process in self.parked:
                self.parked.remove(process)
        end_strangers(self.alive)

    def _forget_run(self, process):
        self.runs.pop(process.run, None)
        for descriptor in process.descriptors:
            self._unwatch(descriptor)

    def _watch(self, process, descriptor, events):
        self.owners[descriptor] = process
        self.poll.register(descriptor, events)

    def _unwatch(self, descriptor):
        if self.owners.pop(descriptor, None) is not None:
            self.poll.unregister(descriptor)

    def _private(self):
        """Descriptors that a forked process must not keep: they lead to the server and to other cells."""
        others = [descriptor for process in self.alive.values() for descriptor in process.descriptors]
        return [REQUESTS_FD, ANSWERS_FD, self.wake_read, self.wake, *others]

    def _send(self, packed):
        try:
            write_all(ANSWERS_FD, packed)
        except BrokenPipeError:
            self._leave()

    def _leave(self):
        for process in self.alive.values():
            process.end()
        for pid in self.alive:
            os.waitpid(pid, 0)
        while end_strangers(()):  # each that ends may hand us its own orphans
            pass
        os._exit(0)
