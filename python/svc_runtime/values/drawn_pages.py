"""Figures of Bokeh and of what draws with it (HoloViews, hvPlot, Panel), each as a page with its scripts in it: an output can load nothing.

In Jupyter an extension of these libraries loads the scripts once for all outputs, and their widgets ask the kernel. Here a page shows what
its scripts can show by themselves.
"""

import io
import sys


def bundle(value):
    """What to show, by its type; None for what is nothing of these libraries."""
    if _is_a(value, "bokeh.models.layouts", "LayoutDOM"):
        return {"text/html": _of_bokeh(value)}
    if _is_a(value, "holoviews.core.dimension", "Dimensioned"):
        return _of_holoviews(value, sys.modules["holoviews"])
    if _is_a(value, "panel.viewable", "Viewable"):
        return {"text/html": _of_panel(value), "text/plain": repr(value)}
    return None


def _of_bokeh(value):
    from bokeh.embed import file_html
    from bokeh.resources import INLINE

    return file_html(value, INLINE, title="", suppress_callback_warning=True)


def _of_panel(value, embed=False):
    from bokeh.resources import INLINE

    page = io.StringIO()
    value.save(page, resources=INLINE, title="", embed=embed, progress=False)
    return page.getvalue()


def _of_holoviews(value, holoviews):
    words = {"text/plain": repr(value)}
    store = holoviews.Store
    renderer = store.renderers.get(store.current_backend)
    if renderer is None:  # no extension was loaded: Jupyter shows words, too
        return words
    try:
        isinstance(value, holoviews.HoloMap) or renderer.plotting_class(value)
    except sys.modules["holoviews.core.options"].SkipRendering:
        return words
    if store.current_backend == "bokeh":
        import panel

        # What its sliders choose from is in the page, unless each choice would call a function.
        is_whole = not value.traverse(lambda part: part, [holoviews.DynamicMap])
        return {"text/html": _of_panel(panel.panel(value), embed=is_whole), **words}
    data, about = renderer(value)
    return {**_DATA[about["file-ext"]](data), **words} if about["file-ext"] in _DATA else words


_DATA = {
    "png": lambda data: {"image/png": data},
    "svg": lambda data: {"image/svg+xml": data},
    "html": lambda data: {"text/html": data},
}


def _is_a(value, module, name):
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)
