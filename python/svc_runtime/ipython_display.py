"""The functions of `IPython.display` in a cell: what they are given is shown as `display` shows it."""

import itertools

from svc_runtime import displays

_names = itertools.count(1)


class Bundle:
    """A value that comes as what it looks like."""

    def __init__(self, data):
        self._data = data

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self._data

    def __repr__(self):
        return str(self._data.get("text/plain", sorted(self._data)))


def display(*values, raw=False, clear=False, display_id=None, **_):
    if clear:
        clear_output()
    name = f"display-{next(_names)}" if display_id is True else display_id
    displays.show([Bundle(value) if raw else value for value in values], name)
    if name is None:
        return None
    from IPython.core.display_functions import DisplayHandle

    return DisplayHandle(name)


def publish_display_data(data, *_, transient=None, update=False, **__):
    name = (transient or {}).get("display_id")
    if update:
        displays.replace(name, Bundle(data))
    else:
        displays.show([Bundle(data)], name)


def update_display(value, *, display_id, raw=False, **_):
    displays.replace(display_id, Bundle(value) if raw else value)


def clear_output(wait=False):
    displays.clear()
