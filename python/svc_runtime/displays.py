"""What a cell shows: `display(x)`, figures, and the value of its last expression, in the order in which they come.

A value is stored at the moment it is shown: what the cell does to it afterwards does not change what was seen.
"""

import os
import sys

from svc_runtime.comms import VIEW


class Markdown:
    """Text that is shown as Markdown."""

    def __init__(self, text):
        self.text = str(text)

    def _repr_markdown_(self):
        return self.text

    def __repr__(self):
        return f"Markdown({self.text!r})"


class Said:
    """Something in its own words."""

    def __init__(self, words):
        self._words = words

    def _repr_mimebundle_(self, **_):
        return {"text/plain": self._words}


class Displays:
    """The displays of one run. `keep(value, stem)` stores a value under a file name and gives its record."""

    def __init__(self, keep):
        self._keep = keep
        self._owner = os.getpid()
        self._figures = []  # those that `show` has shown; held, so that no other object gets their identity
        self._kept = 0
        self._named = {}  # those that may be replaced, by the name that the cell gave them
        self._widgets = []  # with their values: they are seen as the cell leaves them
        self._said = (None, "")  # what the last value said of itself before its figure was drawn
        self.records = []

    def display(self, *values, name=None):
        """Show each value below the cell. What a process that the cell forked wants to show is nobody's to see."""
        for value in values:
            if value is not None and os.getpid() == self._owner and not shows_itself(value):
                record = self._stored(value)
                self._add(record)
                if name is not None:
                    self._named[name] = record

    def replace(self, name, value):
        """Show a value where another was shown under this name; where none was, nothing happens, as in Jupyter."""
        before = self._named.get(name)
        place = next((at for at, record in enumerate(self.records) if record is before), None)
        if before is None or place is None or os.getpid() != self._owner:
            return
        record = self._stored(value)
        if record["content_type"] != "error":
            self.records[place] = self._named[name] = record

    def clear(self, wait=False):
        """Take back what was shown so far."""
        if os.getpid() == self._owner:
            self.records.clear()

    def _stored(self, value):
        self._kept += 1
        stem = f"__display__{self._kept - 1}"
        record = self._keep(value, stem)
        if record["content_type"] == VIEW:
            self._widgets.append((record, value, stem))
        return record

    def settle(self):
        """The cell is over: its widgets are stored as they are now, and those that it closed are not shown."""
        for record, value, stem in self._widgets:
            if any(record is other for other in self.records):
                found = self._keep(value, stem)
                if found["content_type"] == VIEW:
                    record.update(found)
                else:
                    self.records = [other for other in self.records if other is not record]

    def show_figure(self, figure):
        """Show a figure once: `plt.show()` offers every open figure each time."""
        if not self._was_shown(figure):
            self._figures.append(figure)
            self.display(figure)

    def show_new_figures(self, known):
        """Figures that the cell made and left open are shown too: nobody has to end a cell with `plt.show()`."""
        for figure in open_figures():
            if not any(figure is other for other in known):
                self.show_figure(figure)

    def note_last(self, value):
        """Drawing moves the parts of a figure, and what they say of themselves. Colour maps and animations show themselves."""
        is_part = type(value).__module__.startswith("matplotlib.") and not hasattr(value, "savefig")
        if is_part and not hasattr(value, "_repr_html_"):
            self._said = (value, repr(value))

    def display_last(self, value, stored_record):
        """The value of the last expression. `stored_record`: it has been stored already, as a variable."""
        if self._was_shown(value):
            return
        if value is not None and value is self._said[0]:
            self.display(Said(self._said[1]))
        elif stored_record is None:
            self.display(value)
        else:
            self._add(stored_record)

    def count_as_shown(self, figures):
        self._figures.extend(figures)

    def _was_shown(self, value):
        return any(figure is value for figure in self._figures)

    def _add(self, record):
        if record["content_type"] != "error":
            self.records.append(record)


class Collected:
    """In place of the displays of a run: keeps what it is given in a list."""

    def __init__(self, values):
        self._values = values

    def display(self, *values, name=None):
        self._values.extend(value for value in values if value is not None and not shows_itself(value))

    def show_figure(self, figure):
        if not any(figure is other for other in self._values):
            self._values.append(figure)

    def replace(self, name, value):
        pass

    def clear(self, wait=False):
        self._values.clear()

    def count_as_shown(self, figures):
        pass


def shows_itself(value):
    """What has words of its own for this says them; Plotly's would look for a browser on the server."""
    method = None if isinstance(value, type) else getattr(value, "_ipython_display_", None)
    if not callable(method) or hasattr(value, "to_plotly_json") or hasattr(value, "_svc_attribute_that_nobody_has_"):
        return False
    try:
        method()
    except NotImplementedError:
        return False
    return True


_current = Displays(lambda value, stem: {"content_type": "error"})


def begin(keep):
    global _current
    _current = Displays(keep)
    return _current


def collect(values):
    """From here on what is shown goes into this list; gives what to put back."""
    return divert(Collected(values))


def divert(to):
    """From here on what is shown goes there; gives where it went before."""
    global _current
    before, _current = _current, to
    return before


def put_back(before):
    """Figures that were made meanwhile are kept too, and shown no more."""
    global _current
    for figure in open_figures():
        _current.show_figure(figure)
    before.count_as_shown(open_figures())
    _current = before


def open_figures():
    """What pyplot holds; an input that is a figure is among them."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return [manager.canvas.figure for manager in helpers.Gcf.get_all_fig_managers()] if helpers else []


def display(*values):
    """Show each value below the cell."""
    _current.display(*values)


def show_figure(figure):
    _current.show_figure(figure)


def show(values, name=None):
    _current.display(*values, name=name)


def replace(name, value):
    _current.replace(name, value)


def clear(wait=False):
    _current.clear(wait)
