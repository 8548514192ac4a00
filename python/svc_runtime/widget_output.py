"""The `Output` widget of ipywidgets without a kernel: what is printed and shown while it is entered stands in its state."""

import base64
import io
import sys
import time

from svc_runtime import displays, errors
from svc_runtime.ipython_display import Bundle

# Its whole content is sent each time.
SEND_EVERY_SECONDS = 0.1


class _Stream(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, sink, name):
        self._sink, self._name = sink, name

    def writable(self):
        return True

    def write(self, text):
        self._sink.print(self._name, str(text))
        return len(text)


class Sink:
    """Takes the place of streams and displays while the widget is entered."""

    def __init__(self, widget):
        self._widget = widget
        self._outputs = [dict(output) for output in widget.outputs]
        self._named = {}
        self._clears_first = False
        self._sent = time.monotonic()
        self._figures = displays.open_figures()
        self._shown = []

    def __enter__(self):
        self._before = sys.stdout, sys.stderr, displays.divert(self)
        sys.stdout, sys.stderr = _Stream(self, "stdout"), _Stream(self, "stderr")
        return self

    def __exit__(self, kind, problem, _):
        for figure in displays.open_figures():
            if not any(figure is other for other in self._figures):
                self.show_figure(figure)
                _close(figure)
        sys.stdout, sys.stderr, before = self._before
        displays.divert(before)
        is_shown = isinstance(problem, Exception)
        if is_shown:
            told = errors.describe(problem)
            self._add(
                {
                    "output_type": "error",
                    "ename": told["error_type"],
                    "evalue": told["message"],
                    "traceback": told["text"].splitlines(),
                }
            )
        self._send()
        return is_shown

    def print(self, name, text):
        self._begin_anew()
        last = self._outputs[-1] if self._outputs else {}
        if last.get("output_type") == "stream" and last.get("name") == name:
            last["text"] += text
            self._send_in_time()
        else:
            self._add({"output_type": "stream", "name": name, "text": text})

    def display(self, *values, name=None):
        for value in values:
            if value is not None and not displays.shows_itself(value):
                self._add(_shown(value))
                if name is not None:
                    self._named[name] = self._outputs[-1]

    def replace(self, name, value):
        if name in self._named:
            self._named[name].update(_shown(value))
            self._send_in_time()

    def clear(self, wait=False):
        if wait:
            self._clears_first = True
        else:
            self._outputs.clear()
            self._send_in_time()

    def show_figure(self, figure):
        if not any(figure is other for other in self._shown):
            self._shown.append(figure)
            self.display(figure)

    def count_as_shown(self, figures):
        self._shown.extend(figures)

    def _add(self, output):
        self._begin_anew()
        self._outputs.append(output)
        self._send_in_time()

    def _begin_anew(self):
        if self._clears_first:
            self._outputs.clear()
            self._clears_first = False

    def _send_in_time(self):
        if time.monotonic() - self._sent >= SEND_EVERY_SECONDS:
            self._send()

    def _send(self):
        self._sent = time.monotonic()
        self._widget.outputs = tuple(dict(output) for output in self._outputs)


def bundle_of(value):
    """A value in all forms that Jupyter would keep of it."""
    if isinstance(value, Bundle):
        return value._repr_mimebundle_()
    if hasattr(value, "savefig"):
        stream = io.BytesIO()
        value.savefig(stream, format="png", bbox_inches="tight")
        return {"image/png": _text(stream.getvalue()), "text/plain": repr(value)}
    from IPython.core.formatters import DisplayFormatter

    data, _ = DisplayFormatter().format(value)
    return {mime: _text(content) for mime, content in data.items()}


def _shown(value):
    return {"output_type": "display_data", "data": bundle_of(value), "metadata": {}}


def _text(content):
    return base64.b64encode(content).decode("ascii") if isinstance(content, bytes) else content


def _close(figure):
    sys.modules["matplotlib.pyplot"].close(figure)


def adjust(module):
    output = module.Output
    entered = {}  # a widget may be entered while it is

    def enter(widget):
        entered.setdefault(widget.model_id, []).append(Sink(widget).__enter__())

    def leave(widget, *problem):
        return entered[widget.model_id].pop().__exit__(*problem)

    def append(widget, value):
        widget.outputs += (_shown(value),)

    # Jupyter's own keeps its content in the page.
    keys = output._repr_keys
    output._repr_keys = lambda widget: (key for key in keys(widget) if key != "outputs")
    output.__enter__, output.__exit__, output.append_display_data = enter, leave, append
