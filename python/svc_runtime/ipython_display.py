"""The functions of `IPython.display` in a cell: what they are given is shown as `display` shows it. They stand in for those of
the package too, which would print what they are given, since there is no kernel.
"""

import itertools

from svc_runtime import displays

_names = itertools.count(1)
_METHODS = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "text/latex": "_repr_latex_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "application/json": "_repr_json_",
    "application/javascript": "_repr_javascript_",
    "application/pdf": "_repr_pdf_",
}


class Bundle:
    """A value that comes as what it looks like."""

    def __init__(self, data):
        self._data = data

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self._data

    def __repr__(self):
        return str(self._data.get("text/plain", sorted(self._data)))


class DisplayHandle:
    """Something that was shown, and may be shown anew in its place."""

    def __init__(self, display_id=None):
        self.display_id = _new_name() if display_id is None else display_id

    def display(self, obj, **options):
        display(obj, display_id=self.display_id, **options)

    def update(self, obj, **options):
        update_display(obj, display_id=self.display_id, **options)

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"


def _new_name():
    return f"display-{next(_names)}"


def display(*values, raw=False, clear=False, display_id=None, include=None, **_):
    """Show each value below the cell. With `display_id` a handle comes back that shows another value in the same place."""
    if clear:
        clear_output()
    name = _new_name() if display_id is True else display_id
    displays.show([_shown(value, raw, include) for value in values], name)
    return None if name is None else DisplayHandle(name)


def _shown(value, raw, include):
    if raw:
        return Bundle(value)
    wanted = [mime for mime in include or () if callable(getattr(value, _METHODS.get(mime, ""), None))]
    return Bundle({mime: getattr(value, _METHODS[mime])() for mime in wanted}) if wanted else value


def publish_display_data(data, *_, transient=None, update=False, **__):
    name = (transient or {}).get("display_id")
    if update:
        displays.replace(name, Bundle(data))
    else:
        displays.show([Bundle(data)], name)


def update_display(value, *, display_id, raw=False, **_):
    displays.replace(display_id, Bundle(value) if raw else value)


def clear_output(wait=False):
    displays.clear(wait)


def _only_as(mime):
    def show(*objects, raw=False, metadata=None):
        """Show each object in this one form; `raw`: they are that form already."""
        for one in objects:
            display({mime: one}, raw=True) if raw else display(one, include=[mime])

    return show


display_html, display_markdown = _only_as("text/html"), _only_as("text/markdown")
display_svg, display_png, display_jpeg = _only_as("image/svg+xml"), _only_as("image/png"), _only_as("image/jpeg")
display_webp = _only_as("image/webp")
display_latex, display_json = _only_as("text/latex"), _only_as("application/json")
display_javascript, display_pdf = _only_as("application/javascript"), _only_as("application/pdf")
display_pretty = _only_as("text/plain")
