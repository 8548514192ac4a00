"""The loop of a notebook's zygote: hand jobs to parked cell processes, pass on what they say, bury them.

It runs no code of the notebook itself. It ends, with everything below it, when the server closes the pipe or dies.
Cell processes are forked at one place, and the loop returns there, in the new process only. When more modules are to be
loaded ahead, a copy of the zygote loads them and takes the notebook over (`growth.py`); this one goes on meanwhile.
"""

import json
import os
import select
import time

from svc_runtime import envelope, growth
from svc_runtime.birth import CAN_FORK, Birth
from svc_runtime.channel import write_all
from svc_runtime.descendants import end_strangers, strangers_beside
from svc_runtime.nursery import PIPE_BYTES, bear, read_now
from svc_runtime.observe import can_observe
from svc_runtime.pool import Pool

PROTOCOL = 1
# Forking takes milliseconds in which nothing is passed on. A free place is filled when no cell runs and nothing has
# happened for the shorter time, or after the longer one in any case. But when nobody is left, cells follow each other:
# the next process is born at once, while the cell that took the last one runs.
QUIET_SECONDS = 0.002
REFILL_SECONDS = 0.05
STOP_GRACE_SECONDS = 0.003


def serve(options):
    """Serve until the server goes away. Returns, with a Birth, in forked cell processes only."""
    options = json.loads(options)
    fork = CAN_FORK and options["fork"]
    return Zygote(options, fork, growth.begin(options["channels"])).loop()


class Zygote:
    def __init__(self, options, fork, ground, spare=None, seen=()):
        self.fork = fork
        self.options = options
        self.ground = ground  # the descriptors that it stands on
        self.reader = envelope.Reader()
        self.alive = {}  # process id -> CellProcess, the parked ones included
        self.grown = set()  # process ids of copies that have taken over, or will, and of theirs: orphans that are none of a cell
        self.runs = {}  # run -> CellProcess
        self.owners = {}  # watched descriptor -> CellProcess
        self.ordinary = Pool(fork, options["places"])
        self.spare = spare or Pool(False)  # for modules that no process may have loaded before a fork
        self.to_grow = []  # (modules, channel)
        self.short_since = None
        self.rests_until = 0.0  # after a birth that failed
        self.poll = select.poll()
        for descriptor in (ground.requests, ground.wake_read):
            self.poll.register(descriptor, select.POLLIN)
        growth.settle_down()
        facts = {"protocol": PROTOCOL, "python": growth.PYTHON, "fork": fork, "pid": os.getpid(), "loaded": list(seen)}
        self.send(envelope.READY, 0, facts)

    @property
    def pools(self):
        return self.ordinary, self.spare

    def loop(self):
        while True:
            events = self.poll.poll(self._patience())
            for descriptor, _ in events:
                self._attend(descriptor)
            while self.to_grow:
                heir = self._grow(*self.to_grow.pop(0))
                if heir is not None:
                    return heir.loop()
            self._end_the_late()
            for pool in self.pools:
                self._assign(pool)
                while pool.is_short_for_jobs or self._should_refill(pool, quiet=not events):
                    born = self._bear(pool)
                    if isinstance(born, Birth):
                        return born
                    self._assign(pool)

    def _grow(self, modules, channel):
        """The zygote that takes over, in its own process only."""
        if not (self.fork and can_observe()):
            growth.let_go(self.ground, [channel])  # nobody can tell here what an import does to a process
            return None
        ground, pid = growth.copy(self.ground, channel, self._private())
        if ground is None:
            self.grown.add(pid)
            return None
        seen = growth.load(modules, ground)
        return Zygote(self.options, self.fork, ground, Pool(False, self.spare.places, self.spare.ahead), seen)

    def _bear(self, pool):
        try:
            born = bear(pool.is_forked, self._private(), pool.ahead)
        except OSError as problem:  # no memory, too many processes or descriptors
            self.rests_until = time.monotonic() + REFILL_SECONDS
            for run, _ in pool.waiting:
                self._refuse(run, f"no process could be started ({problem})")
            pool.waiting = []
            return None
        if not isinstance(born, Birth):
            self.alive[born.pid] = born
            pool.add(born)
            if not born.is_parked:
                self._watch(born, born.answers, select.POLLIN)
        return born

    def _refuse(self, run, why):
        self.send(envelope.ENDED, run, {"status": None, "signal": None, "lost": why})

    def _attend(self, descriptor):
        if descriptor == self.ground.requests:
            self._receive()
        elif descriptor == self.ground.wake_read:
            read_now(descriptor, PIPE_BYTES)
            self._bury_the_dead()
        elif descriptor in self.owners:
            self._relay(self.owners[descriptor], descriptor)

    def _receive(self):
        data = os.read(self.ground.requests, 1 << 20)
        if not data:
            self._leave()
        for kind, run, payload in self.reader.feed(data):
            if kind == envelope.START:
                self.ordinary.waiting.append((run, payload))
            elif kind == envelope.START_AFRESH:
                self.spare.waiting.append((run, payload))
            elif kind == envelope.STOP:
                self._stop(run)
            elif kind == envelope.SAY and run in self.runs:
                self._say(self.runs[run], payload)
            elif kind == envelope.SPARES:
                self._keep_spares(**json.loads(payload))
            elif kind == envelope.GROW:
                order = json.loads(payload)
                self.to_grow.append((order["modules"], order["channel"]))
            elif kind == envelope.KIN:
                self.grown.add(json.loads(payload)["pid"])
            elif kind == envelope.REST:
                self._rest()
            elif kind == envelope.LET_GO:
                growth.let_go(self.ground, [channel for channel in self.ground.channels if channel > self.ground.own])

    def _keep_spares(self, modules, places):
        pool = self.spare if self.fork else self.ordinary
        if pool.ahead != modules:
            for process in [*pool.parked, *pool.coming]:
                pool.drop(process)
                process.end()
        pool.ahead = modules
        pool.places = places if self.fork else self.options["places"]
        for process in pool.surplus():
            pool.drop(process)
            process.end()

    def _rest(self):
        for pool in self.pools:
            pool.places = 0
            for process in pool.surplus():
                pool.drop(process)
                process.end()

    def _stop(self, run):
        if run in self.runs:
            self.runs[run].stop(STOP_GRACE_SECONDS)
        elif any([pool.forget_job(run) for pool in self.pools]):
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
            self._write(b"".join(packed))
            self._welcome(process)
            if process.is_over or process.is_free:
                self._forget_run(process)
            if process.is_free:
                self._park_again(process)
        else:
            kind = envelope.STDOUT if descriptor == process.stdout else envelope.STDERR
            packed = process.read_console(kind)
            if packed:
                self._write(packed)
            elif packed == b"":
                self._unwatch(descriptor)

    def _welcome(self, process):
        """A process that was started afresh may have come as far as to wait for orders."""
        for pool in self.pools:
            if process.is_parked and process in pool.coming:
                pool.arrived(process)
                self._unwatch(process.answers)

    def _park_again(self, process):
        process.run = None
        process.is_free = False
        parked = self.ordinary.parked
        parked.insert(0, process)  # the next cell finds its memory at hand
        if len(parked) > self.ordinary.places:
            parked.pop().end()

    def _assign(self, pool):
        while pool.waiting and pool.parked:
            run, job = pool.waiting[0]
            process = pool.parked.pop(0)
            process.run = run
            if not self._say(process, job):
                process.run = None  # it died while parked and never got the job: the next one takes it
                continue
            pool.waiting.pop(0)
            self.runs[run] = process
            for descriptor in (process.answers, process.stdout, process.stderr):
                self._watch(process, descriptor, select.POLLIN)
            self.send(envelope.BEGUN, run, {"pid": process.pid})

    def _should_refill(self, pool, quiet):
        if not pool.is_short:
            if pool is self.ordinary:
                self.short_since = None
            return False
        now = time.monotonic()
        if now < self.rests_until:
            return False
        if not pool.is_forked:
            return True  # it takes no time of ours
        if self.short_since is None:
            self.short_since = now
        return not pool.parked or (quiet and not self.runs) or now - self.short_since > REFILL_SECONDS

    def _patience(self):
        """Milliseconds until something has to be done although nothing has arrived; None for ever."""
        seconds = [process.kill_at - time.monotonic() for process in self.alive.values() if process.kill_at is not None]
        if self.ordinary.is_short or self.spare.is_short:
            seconds.append(REFILL_SECONDS if self.runs else QUIET_SECONDS)
        return max(0.0, min(seconds)) * 1000 if seconds else None

    def _end_the_late(self):
        now = time.monotonic()
        for process in self.alive.values():
            if process.kill_at is not None and process.kill_at <= now:
                process.was_late = not process.is_parked
                process.end()

    def _bury_the_dead(self):
        for process in [process for process in self.alive.values() if process.has_exited()]:
            del self.alive[process.pid]
            packed = process.bury()
            if process.run in self.runs:
                self._write(b"".join(packed))
            self._forget_run(process)
            for pool in self.pools:
                if process in pool.coming and process.loading is not None:
                    self._leave_out(pool, process)
                pool.drop(process)
        self.grown -= growth.buried(self.grown)
        if strangers_beside({*self.alive, *self.grown}):
            self._hear_of_kin()
            end_strangers({*self.alive, *self.grown})

    def _hear_of_kin(self):
        """The word about a copy comes before its parent ends and it is ours: it is here, and may not have been read yet."""
        while select.select([self.ground.requests], [], [], 0)[0]:
            self._receive()

    def _leave_out(self, pool, process):
        """A module whose import ends the process, or never ends, is loaded by nobody from now on."""
        pool.ahead = [name for name in pool.ahead if name != process.loading]
        self.send(envelope.UNFIT, 0, {"name": process.loading, "why": process.why_it_ended(), "spare": True})

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
        return [*self.ground.descriptors, *others]

    def send(self, kind, run, facts):
        self._write(envelope.pack(kind, run, json.dumps(facts).encode()))

    def _write(self, packed):
        try:
            write_all(self.ground.answers, packed)
        except BrokenPipeError:
            self._leave()

    def _leave(self):
        for process in self.alive.values():
            process.end()
        for pid in self.alive:
            os.waitpid(pid, 0)
        # Each that ends may hand us its own orphans. So may a copy that leaves too: its copy is in our group and goes on to whoever
        # is above us, who has heard of it. Cells lead groups of their own; above the first there is nobody.
        while end_strangers(self.grown, spares_own_group=not self.ground.is_first):
            pass
        os._exit(0)
