"""What a process holds that a fork would not carry over whole: threads, sockets, devices, queues of the kernel.

Only seen where the kernel lists it (`/proc`). Elsewhere nobody can tell, and nothing is loaded before a fork.
"""

import os
import time
import warnings

_TASKS = "/proc/self/task"
_DESCRIPTORS = "/proc/self/fd"
# Threads whose absence in a forked process changes no result.
_HARMLESS_THREADS = {
    "jemalloc_bg_thd",  # returns freed memory; the allocator knows of forks and goes on without it
    "polars-ooc-clea",  # deletes spilled files early; the next process that loads polars deletes what is left
}
# A library that knows of forks ends its threads before one and begins them anew when they are needed (OpenBLAS does).
_ENDING_SECONDS = 0.2
_FORK_SECONDS = 10
_PLAIN_DEVICES = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
_QUEUES = ("anon_inode:[eventpoll]", "anon_inode:[io_uring]")


def can_observe():
    return os.path.isdir(_TASKS)


def resident_bytes():
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def threads():
    """Number -> name of each thread of this process."""
    found = {}
    for task in os.listdir(_TASKS):
        try:
            with open(f"{_TASKS}/{task}/comm", encoding="utf-8", errors="replace") as file:
                found[task] = file.read().strip()
        except OSError:
            pass  # it has just ended
    return found


def held():
    """Sockets, devices and queues that are open, in words."""
    found = set()
    for descriptor in os.listdir(_DESCRIPTORS):
        try:
            target = os.readlink(f"{_DESCRIPTORS}/{descriptor}")
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(f"a socket ({target})")
        elif target.startswith("/dev/") and target not in _PLAIN_DEVICES and not target.startswith(("/dev/pts/", "/dev/shm/")):
            found.add(f"the device {target}")
        elif target in _QUEUES:
            found.add(f"a queue of the kernel ({target})")
    return found


class Standing:
    """What a process held before an import, to be compared with what it holds after."""

    def __init__(self):
        self._threads = threads()
        self._held = held()

    def new_threads(self):
        return {task: name for task, name in threads().items() if task not in self._threads}

    def objection(self, warned):
        """Why this process must not be forked now although it could before; None when it may. `warned`: fork and hear."""
        opened = held() - self._held
        if opened:
            return f"it opens {sorted(opened)[0]}"
        if not warned and not self._lasting_threads():
            return None
        said = try_fork()
        if said is not None:
            return said
        deadline = time.monotonic() + _ENDING_SECONDS
        while self._lasting_threads() and time.monotonic() < deadline:
            time.sleep(0.001)
        lasting = self._lasting_threads()
        return f"it starts threads that a fork does not carry over ({', '.join(lasting)})" if lasting else None

    def _lasting_threads(self):
        return sorted(name for name in self.new_threads().values() if name not in _HARMLESS_THREADS)


def try_fork():
    """Fork once and let the copy end at once: what a library says against it, or None."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DeprecationWarning)  # Python's own, for threads of any kind
        pid = os.fork()
        if pid == 0:
            os._exit(0)
    deadline = time.monotonic() + _FORK_SECONDS
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            return "a process forked after its import hangs"
        time.sleep(0.0005)
    return f"it warns of forks: {said[0].message}"[:300] if said else None
