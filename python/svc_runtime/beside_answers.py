"""What is read beside the answers: values, and packages that take seconds to import. Whoever types waits a moment for it, and
an import that somebody gave up on goes on all the same: cut off in its middle, it could not be begun again.
"""

import queue
import threading
import time

# A value that never lets itself be read holds up no others.
LOST_SECONDS = 15


class Reader:
    """One thread, in the order of asking; a further one where it has not come back for long. What fails gives nothing."""

    def __init__(self):
        self._tasks = {}
        self._waiting = queue.SimpleQueue()
        self._began = None  # when the thread took what it reads
        self.is_behind = False
        self._until = 0

    def begin(self, until):
        """A question: its answer waits for what it needs until then, all together."""
        self._until = until
        self.is_behind = False

    def read(self, key, read):
        """What it gave, in a list; nothing while it is being read, nor where it failed. It is read once."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = self._add(_Task(read))
        return task.found if self._wait_for(task) else []

    def has_settled(self):
        """Whether all that anybody asked for has been read."""
        return self._wait_for(self._add(_Task(lambda: None)))

    def drop(self, key):
        """Nobody asks for it any more."""
        self._tasks.pop(key, None)

    def _add(self, task):
        self._waiting.put(task)
        if self._began is None or time.monotonic() - self._began[0] > LOST_SECONDS:
            self._start()
        return task

    def _wait_for(self, task):
        is_done = task.done.wait(max(0, self._until - time.monotonic()))
        self.is_behind |= not is_done
        return is_done

    def _start(self):
        own = self._began = [time.monotonic()]
        threading.Thread(target=self._work, args=(own,), daemon=True).start()

    def _work(self, own):
        while self._began is own:
            own[0] = float("inf")  # it waits, and is not lost
            task = self._waiting.get()
            own[0] = time.monotonic()
            task.run()


class _Task:
    def __init__(self, read):
        self._read = read
        self.found = []
        self.done = threading.Event()

    def run(self):
        try:
            self.found = [self._read()]
        except BaseException:  # a value that fails or wants to exit
            self.found = []
        self.done.set()
