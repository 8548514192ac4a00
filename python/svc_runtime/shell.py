"""What `get_ipython()` gives in a cell: it runs what `ipython_syntax` made of magics and of commands of the shell. There is no
kernel behind it, and nothing outlasts the cell: each runs in a process of its own.
"""

import collections
import sys

from svc_runtime import programs
from svc_runtime.captured import Capture
from svc_runtime.ipython_syntax import CELL_MAGICS, LINE_MAGICS, PLACE, SCRIPTS, UnknownMagic, translate
from svc_runtime.timing import Stopwatch, timeit


class _Events:
    """Libraries want to be told of the end of a cell; the process ends with it."""

    def register(self, event, function):
        pass

    unregister = trigger = register


class _Formatter:
    """Libraries say here how their objects are shown. Those describe themselves, and that is what is shown."""

    enabled = True

    def __init__(self):
        self.type_printers, self.deferred_printers, self.singleton_printers = {}, {}, {}

    def for_type(self, kind, function=None):
        before = self.type_printers.get(kind)
        if function is not None:
            self.type_printers[kind] = function
        return before

    def for_type_by_name(self, module, name, function=None):
        return self.for_type((module, name), function)

    def pop(self, kind, default=None):
        return self.type_printers.pop(kind, default)

    def lookup_by_type(self, kind):
        return self.type_printers[kind]


class _DisplayFormatter:
    def __init__(self):
        self.formatters = collections.defaultdict(_Formatter)
        self.active_types = []

    @property
    def ipython_display_formatter(self):
        return self.formatters["ipython_display"]

    mimebundle_formatter = ipython_display_formatter


class Shell:
    ast_node_interactivity = None  # which results cells below show; None for as they do
    colors = "NoColor"

    def __init__(self):
        self.config = {}
        self.events = _Events()
        self.display_formatter = _DisplayFormatter()
        self.execution_count = 1
        self._watches = []
        self._cell_watch = None
        self._capture = None

    @classmethod
    def instance(cls, *_, **__):
        return shell

    @classmethod
    def initialized(cls):
        return True

    @property
    def user_ns(self):
        return sys.modules["__main__"].__dict__

    user_global_ns = user_ns

    def system(self, command, given=None):
        """Run a command; what it writes is shown as it comes."""
        command = self.var_expand(command, given)
        if _installs(command):
            return self.run_line_magic("pip", command.partition("pip ")[2])
        self.user_ns["_exit_code"] = programs.run(command)
        return None

    def getoutput(self, command, given=None):
        """The lines that a command writes; what it says of errors is shown."""
        out, err, self.user_ns["_exit_code"] = programs.output(self.var_expand(command, given))
        sys.stderr.write(err)
        return programs.Lines(out.splitlines())

    def var_expand(self, text, given=None):
        """Names and expressions in a command; what means nothing is left to the shell."""
        given = self._named_in(text) if given is None else given

        def value(place):
            if place[0] in ("{{", "}}", "$$"):
                return place[0][0]
            try:
                return str(given[place[0]]())
            except (KeyError, NameError):
                return place[0]

        return PLACE.sub(value, text)

    def _named_in(self, text):
        names = {place[0]: place[1] or place[2] for place in PLACE.finditer(text) if place[1] or place[2]}
        return {
            place: (lambda name=name: self.user_ns[name]) for place, name in names.items() if name in self.user_ns
        }

    def run_line_magic(self, name, line, given=None):
        from svc_runtime import line_magics

        if name in ("pinfo", "pinfo2"):
            return line_magics.tell_about(line, given or (lambda: self.ev(line)), self.user_ns, with_source=name == "pinfo2")
        if name in ("time", "timeit"):
            return self.run_cell(f"%{name} {line}")
        run = line_magics.BY_NAME.get(name)
        if run is None:
            raise UnknownMagic(f"%{name} does not work here; %lsmagic lists the magics that do")
        return run(self.var_expand(line, given), self)

    def run_cell_magic(self, name, line, cell):
        if name in ("time", "timeit", "capture"):
            return self.run_cell(f"%%{name} {line}\n{cell}")
        return self.cell_magic(name, cell, line)

    def cell_magic(self, name, body, line, given=None):
        from svc_runtime import cell_magics

        if name in SCRIPTS:
            return cell_magics.run_script(name, self.var_expand(line, given), body)
        run = cell_magics.BY_NAME.get(name)
        if run is None:
            raise UnknownMagic(f"%%{name} does not work here; %lsmagic lists the magics that do")
        return run(self.var_expand(line, given), body)

    def script(self, name, line, body):
        """`%%bash --out x --err y`: the two texts."""
        from svc_runtime import cell_magics

        return cell_magics.output_of_script(name, line, body)

    def magic(self, text):
        name, _, line = text.partition(" ")
        return self.run_line_magic(name.lstrip("%"), line.strip())

    def timeit(self, options, setup, statement, names, below=0):
        """`below`: so many lines below the magic its statement begins."""
        frame = sys._getframe(1 + below)
        place = frame.f_code.co_filename, frame.f_lineno + below
        return timeit(options, setup, statement, {**self.user_ns, **names}, place)

    def timeit_cell(self, options, setup, statement, names):
        return self.timeit(options, setup, statement, names, below=1)

    def time_begins(self):
        self._watches.append(Stopwatch())

    def time_ends(self):
        print(self._watches.pop().text())

    def time_cell(self):
        self._cell_watch = Stopwatch()

    def capture_cell(self, options=""):
        self._capture = Capture(options)
        return self._capture.kept

    def cell_ends(self, value):
        """The value of the last expression, or None when it was kept by `%%capture`."""
        watch, self._cell_watch = self._cell_watch, None
        if watch is not None:
            print(watch.text())
        capture, self._capture = self._capture, None
        if capture is None or not capture.end():
            return value
        capture.kept.outputs.extend([] if value is None else [value])
        return None

    def ev(self, expression):
        return eval(expression, self.user_ns)

    def ex(self, source):
        exec(translate(source), self.user_ns)

    def run_cell(self, source, *_, **__):
        self.ex(source)

    def push(self, variables, interactive=True):
        self.user_ns.update(variables)

    def enable_gui(self, gui=None):
        pass

    def enable_matplotlib(self, gui=None):
        return gui, "module://svc_runtime.figures"

    def set_custom_exc(self, *_):
        pass

    def showtraceback(self, *_, **__):
        import traceback

        traceback.print_exc()

    def register_magic_function(self, function, *_, **__):
        raise NotImplementedError(f"Magics of one's own do not work here: call {function.__name__}(…) as a function")

    def magics_that_work(self):
        lines = "  ".join(f"%{name}" for name in sorted(LINE_MAGICS))
        return f"Line magics: {lines}\nCell magics: {'  '.join(f'%%{name}' for name in sorted(CELL_MAGICS))}"

    def __repr__(self):
        return "<the shell of a cell of svc>"


def _installs(command):
    words = command.split()
    return "install" in words[1:4] and words[0] in ("pip", "pip3", "python", "python3", "uv", "conda") and (
        words[0] in ("pip", "pip3", "conda") or "pip" in words[1:3]
    )


shell = Shell()
