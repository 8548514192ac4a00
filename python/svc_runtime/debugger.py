"""A prompt within a cell, at `breakpoint()`, at a line that somebody marked or where it failed: Python's own debugger, asking
whoever watches the run.

Each question tells the frames, the variables of the chosen one and what the command before it printed. An editor may take over.
"""

import io
import os
import re
import sys

from svc_runtime import errors
from svc_runtime.asking import TakenOver, Unanswered, desk
from svc_runtime.attached import editor
from svc_runtime.values import preview

MAX_VARIABLES = 100
MAX_VALUE_CHARACTERS = 200
MAX_SAID_CHARACTERS = 20_000
# Written out they are always meant.
_COMMANDS = {"next", "step", "return", "continue", "quit", "up", "down", "where", "list", "longlist", "args", "help", "until", "attach"}
# They let a cell go on.
_GOING_ON = ("n", "next", "s", "step", "r", "return", "c", "cont", "continue", "unt", "until", "j", "jump", "run", "restart")


def stop_here(*_, **__):
    """Stands in for `sys.breakpointhook`."""
    if os.environ.get("PYTHONBREAKPOINT"):
        sys.__breakpointhook__(*_, **__)
        return
    frame = sys._getframe(1)
    if not desk.can_ask():
        desk.has_asked = True
        print(f"breakpoint() at line {frame.f_lineno}: nobody watches this run, so it goes on.", file=sys.stderr)
        return
    if editor.is_attached():
        editor.stop_at_next_line(frame)
    else:
        _of_the_run().set_trace(frame)


def stop_at(places):
    """Stop where the run comes to one of these lines, each with its file; they are lines that do something."""
    if places and desk.can_ask():
        debugger = _of_the_run()
        debugger.reset()
        for file, line in places:
            debugger.set_break(file, line)
        debugger.botframe = sys._getframe()
        debugger.set_continue()
        sys.settrace(debugger.trace_dispatch)


def let_go():
    """No further line is stopped at."""
    global _running
    if _running is not None:
        sys.settrace(None)
        _running.clear_all_breaks()
        _running = None
        editor.let_go()


_running = None


def _of_the_run():
    """A run has one, which knows all its lines."""
    global _running
    _running = _running or _debugger("breakpoint")
    return _running


def look_into(problem):
    """Ask about a failure until somebody is done with it, or nobody asks any more."""
    trace = problem.__traceback__
    while trace is not None and errors.is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    if trace is not None:
        debugger = _debugger("failure")
        debugger.reset()
        debugger.interaction(None, trace)


def has_frames(problem):
    trace = problem.__traceback__
    while trace is not None:
        if not errors.is_ours(trace.tb_frame.f_code.co_filename):
            return True
        trace = trace.tb_next
    return False


def _debugger(reason):
    import pdb  # few cells need it

    class Debugger(pdb.Pdb):
        def __init__(self):
            self._said = io.StringIO()
            super().__init__(stdout=self._said, skip=["svc_runtime", "svc_runtime.*"], nosigint=True, readrc=False)
            self.use_rawinput = False
            self.prompt = ""
            self.stdin = self

        def readline(self):
            """The next command. Without an answer a breakpoint is passed, and a failure left."""
            said = self._said.getvalue()[-MAX_SAID_CHARACTERS:]
            self._said.seek(0)
            self._said.truncate()
            more = {"reason": reason, "said": said, "editor": editor.told(reason), **_standing(self)}
            try:
                text = desk.ask("debug", "", more, editor.is_attached if editor.address else None)
                return f"{'!' if _is_code(text, self.curframe) else ''}{text}\n"
            except TakenOver:
                return "hand_over\n"
            except Unanswered as problem:
                if reason == "failure" or problem.why == "cancelled":
                    return "quit\n"
                self.clear_all_breaks()
                print(f"breakpoint(): {problem.words()}, so the cell goes on.", file=sys.__stderr__)
                return "continue\n"

        def do_frame(self, number):
            """frame number: look at another frame of the stack."""
            if number.strip().isdigit() and int(number) < len(self.stack):
                self._select_frame(int(number))
            else:
                self.error("There is no such frame.")

        def print_stack_trace(self, *_):
            """For `where`: the frames that the page shows, and none of what began the process."""
            for frame in _standing(self)["frames"]:
                self.print_stack_entry(self.stack[frame["at"]])

        def do_attach(self, _):
            """attach: let an editor debug the cell, over the Debug Adapter Protocol."""
            if editor.told(reason) is None:
                self.error("An editor can attach at a breakpoint, where debugpy is installed and the server is your own.")
                return
            try:
                self.message(f"An editor may attach at {editor.listen()} (debugpy).")
            except RuntimeError as problem:
                self.error(str(problem))

        def do_hand_over(self, _):
            """hand_over: the editor that has attached goes on from here."""
            self.clear_all_breaks()
            self.set_continue()
            editor.stop_here(self.curframe)
            return True

    if reason == "failure":
        for name in _GOING_ON:
            setattr(Debugger, f"do_{name}", _cannot_go_on)
    return Debugger()


def _cannot_go_on(debugger, _):
    """Not here: the cell has failed."""
    debugger.error("The cell has failed and cannot go on. Look around here, or quit.")


def _is_code(text, frame):
    """Whether a text is about a variable that has the name of a command: `n * 2` is no order to go to the next line."""
    word = re.match(r"\s*([^\W\d]\w*)", text)
    if word is None or text.strip() in _COMMANDS or re.fullmatch(r"\s*frame\s+\d+\s*", text):
        return False
    return word[1] in frame.f_locals or word[1] in frame.f_globals


def _standing(debugger):
    """Where it stands: frames of the cell and of libraries, the innermost last, and what the chosen one holds."""
    frames = []
    for at, (frame, line) in enumerate(debugger.stack):
        code = frame.f_code
        if not errors.is_ours(code.co_filename):
            frames.append({"at": at, **errors.place(code.co_filename, line, code.co_name)})
        elif not any(frame["cell_id"] for frame in frames):
            frames = []  # what began the process
    return {"frames": frames[-errors.MAX_FRAMES :], "at": debugger.curindex, "variables": _variables(debugger.curframe)}


def _variables(frame):
    held = frame.f_locals
    names = [name for name in list(held) if not name.startswith("_") and not _is_given(name, held[name])]
    return [_variable(name, held[name]) for name in names[:MAX_VARIABLES]]


def _is_given(name, value):
    """What every cell finds, and the modules that it imports."""
    return name in ("display", "Markdown", "svc") or type(value) is type(sys)


def _variable(name, value):
    return {"name": name, "type": type(value).__name__, "value": preview.of_repr(value)[:MAX_VALUE_CHARACTERS]}
