"""What a cell shows: `display(x)`, figures, and the value of its last expression, in the order in which they come.

A value is stored at the moment it is shown: what the cell does to it afterwards does not change what was seen.
"""

import os
import sys


class Markdown:
    """Text that is shown as Markdown."""

    def __init__(self, text):
        self.text = str(text)

    def _repr_markdown_(self):
        return self.text

    def __repr__(self):
        return f"Markdown({self.text!r})"


class Displays:
    """The displays of one run. `keep(value, stem)` stores a value under a file name and gives its record."""

    def __init__(self, keep):
        self._keep = keep
        self._owner = os.getpid()
        self._figures = []  # those that `show` has shown; held, so that no other object gets their identity
        self.records = []

    def display(self, *values):
        """Show each value below the cell. What a process that the cell forked wants to show is nobody's to see."""
        for value in values:
            if value is not None and os.getpid() == self._owner:
                self._add(self._keep(value, f"__display__{len(self.records)}"))

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

    def display_last(self, value, stored_record):
        """The value of the last expression. `stored_record`: it has been stored already, as a variable."""
        if self._was_shown(value):
            return
        if stored_record is None:
            self.display(value)
        else:
            self._add(stored_record)

    def _was_shown(self, value):
        return any(figure is value for figure in self._figures)

    def _add(self, record):
        if record["content_type"] != "error":
            self.records.append(record)


_current = Displays(lambda value, stem: {"content_type": "error"})


def begin(keep):
    global _current
    _current = Displays(keep)
    return _current


def open_figures():
    """What pyplot holds; an input that is a figure is among them."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return [manager.canvas.figure for manager in helpers.Gcf.get_all_fig_managers()] if helpers else []


def display(*values):
    """Show each value below the cell."""
    _current.display(*values)


def show_figure(figure):
    _current.show_figure(figure)
