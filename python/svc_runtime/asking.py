"""Questions of a cell to whoever watches its run: `input()` and `getpass.getpass()`. The debugger asks the same way.

A question goes out on the channel and the answer comes in on the orders. Where nobody can answer, it fails at once and says
what to do instead.
"""

import select
import sys
import threading

from svc_runtime.channel import read_message

# How often it is asked whether something else took over.
TAKEN_OVER_SECONDS = 0.1
_WHAT_TO_DO = "Run the cell on a page or by `svc run` in a terminal, or write the value into the cell or the notebook's variables"


class Unanswered(Exception):
    """`why`: nobody is there, nobody answered in time, or somebody cancelled the question."""

    def __init__(self, why, seconds=None):
        super().__init__(why)
        self.why, self.seconds = why, seconds

    def words(self):
        if self.why == "timeout":
            return f"nobody answered within {self.seconds:g} seconds (SVC_NOTEBOOK_ANSWER_SECONDS)"
        return "nobody can answer a question of this run"


class TakenOver(Exception):
    """Something else went on with the cell before anybody answered."""


class _Desk:
    """One for a process, since it has one pipe to be answered on."""

    def __init__(self):
        self._lock = threading.Lock()
        self._number = 0
        self.begin(None, None)

    def begin(self, orders, channel):
        """For a job. `orders`: None where nobody can answer it."""
        self._orders, self._channel = orders, channel
        self.has_asked = False

    def can_ask(self):
        # A process that the cell forked has no right to ask.
        return self._orders is not None and self._channel.is_owner

    def ask(self, kind, prompt, more=None, is_taken_over=None):
        """The text of the answer. Raises Unanswered, or TakenOver when `is_taken_over` says so first."""
        self.has_asked = True
        if not self.can_ask():
            raise Unanswered("nobody")
        with self._lock:
            self._number += 1
            self._channel.send({"ask": {"number": self._number, "kind": kind, "prompt": prompt, **(more or {})}})
            while is_taken_over is not None and not select.select([self._orders], [], [], TAKEN_OVER_SECONDS)[0]:
                if is_taken_over():
                    self._channel.send({"taken_over": self._number})
                    raise TakenOver
            while (answer := read_message(self._orders)) is not None:
                if answer.get("number") == self._number:
                    break
            else:
                raise Unanswered("nobody")
        if "text" not in answer:
            raise Unanswered(answer["unanswered"], answer.get("seconds"))
        return answer["text"]


desk = _Desk()


def ask_line(prompt="", /):
    """Read a line from whoever watches the run of the cell. The trailing newline is stripped."""
    text = _answered("input()", "line", prompt)
    print(f"{prompt}{text}")
    return text


def ask_secret(prompt="Password: ", stream=None, *, echo_char=None):
    """Prompt for a password, which is shown nowhere."""
    text = _answered("getpass()", "secret", prompt)
    print(prompt)
    return text


def _answered(what, kind, prompt):
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()  # what was printed before stands above the question
        except Exception:
            pass  # the cell closed or replaced it
    try:
        return desk.ask(kind, str(prompt))
    except Unanswered as problem:
        if problem.why == "cancelled":
            raise KeyboardInterrupt(f"The question of {what} was cancelled") from None
        raise EOFError(f"{what}: {problem.words()}. {_WHAT_TO_DO}.") from None
