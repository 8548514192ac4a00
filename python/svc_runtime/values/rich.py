"""What only the eye reads: Markdown, images, HTML, LaTeX, charts. Displays alone use these; a variable that holds a
figure is stored like any other object.
"""

import base64
import io
import json
import re
import sys

from svc_runtime.comms import VIEW, desk
from svc_runtime.values import drawn_pages, exact_json
from svc_runtime.values.encoding import Encoding
from svc_runtime.values.figure_colours import is_ink_on_paper

# Larger ones are fetched from the stored file.
MAX_INLINE_BYTES = 1024 * 1024
# A formula also describes itself as a picture or as HTML; drawn as what it is, it is sharp and can be searched.
_PREFERRED = ("text/latex", "text/html", "image/svg+xml", "image/png", "image/jpeg", "image/gif", "text/markdown")
_DRAWN = re.compile(r"application/vnd\.(plotly|vega|vegalite)\.v\d+\+json$")
_PICTURES = ("image/png", "image/jpeg", "image/gif")
_SUFFIXES = {
    "text/html": ".html",
    "text/plain": ".txt",
    "image/svg+xml": ".svg",
    "text/latex": ".tex",
    "text/markdown": ".md",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
}


def documented_encodings(value):
    """Markdown and PNG, in the order of the protocol: before JSON."""
    if _has_every_attribute(value):
        return
    yield from _from_method(value, "_repr_markdown_", "text/markdown")
    yield from _from_method(value, "_repr_png_", "image/png")
    if _is_a(value, "matplotlib.figure", "Figure"):
        facts = {"follows_theme": True} if is_ink_on_paper(value) else {}
        yield encoding("image/png", _saved(value, "savefig", format="png", bbox_inches="tight"), **facts)
    if _is_a(value, "PIL.Image", "Image"):
        yield encoding("image/png", _saved(value, "save", format="PNG"))


def formula_encodings(value):
    """What sympy shows as a formula once `init_printing` was called: also lists and tables of expressions, and numbers."""
    if is_formula(value):
        yield encoding("text/latex", f"$\\displaystyle {sys.modules['sympy'].latex(value)}$".encode())


def is_formula(value, depth=0):
    if not getattr(sys.modules.get("sympy.interactive.printing"), "svc_shows_formulas", False) or depth > 20:
        return False
    kind = type(value)
    if kind in (list, tuple, set, frozenset):
        return all(is_formula(element, depth + 1) for element in value)
    if kind is dict:
        return all(is_formula(key, depth + 1) and is_formula(element, depth + 1) for key, element in value.items())
    if isinstance(value, (int, float)):
        return not isinstance(value, bool)
    return hasattr(kind, "_latex") or isinstance(value, sys.modules["sympy.core._print_helpers"].Printable)


def further_encodings(value):
    """Everything that would otherwise be shown as the name of its class."""
    if isinstance(value, type) or _has_every_attribute(value):
        return
    # Altair 6 writes `vnd.vegalite.v6.json`; everybody else, and its own older versions, `+json`.
    bundle = {re.sub(r"(?<=\w)\.json$", "+json", mime): data for mime, data in _bundle(value).items()}
    others = [mime for mime in bundle if mime.startswith("application/vnd.") and mime.endswith("+json")]
    charts = [mime for mime in sorted(others) if _DRAWN.match(mime)]
    plain = bundle.get("text/plain")
    widget = desk.view_of(bundle[VIEW].get("model_id"), plain or repr(value)) if VIEW in bundle else None
    if widget is not None:
        yield encoding(VIEW, json.dumps(widget).encode())
    for mime in (*charts, *_PREFERRED):
        if bundle.get(mime) is not None:
            yield encoding(mime, _as_bytes(mime, bundle[mime]))
    if VIEW in bundle:
        yield encoding("text/plain", _widget_in_words(value, plain or repr(value)).encode("utf-8", "replace"))
    for mime in sorted(set(others) - set(charts)):
        yield encoding(mime, _as_bytes(mime, bundle[mime]))
    yield from _from_method(value, "_repr_latex_", "text/latex")
    yield from _from_method(value, "_repr_html_", "text/html")
    yield from _from_method(value, "_repr_svg_", "image/svg+xml")
    yield from _from_method(value, "_repr_jpeg_", "image/jpeg")
    yield from _script(value)
    yield from _json(value)
    if isinstance(plain, str):
        yield encoding("text/plain", plain.encode("utf-8", "replace"))


def _script(value):
    """A script shows what it writes; it runs in the frame of an output."""
    method = getattr(value, "_repr_javascript_", None)
    if callable(method):
        yield encoding("text/html", f"<script>{method()}</script>".encode("utf-8", "replace"))


def _json(value):
    method = getattr(value, "_repr_json_", None)
    if not callable(method):
        return
    data = method()
    yield from exact_json.encodings(data[0] if isinstance(data, tuple) else data, certain=True)


def _widget_in_words(value, text):
    home = getattr(value, "_view_module", None) or type(value).__module__
    return (
        f"{text}\n\nA widget of {home}, which is told in words: shown are those of ipywidgets and anywidget, whose front ends are "
        "here.\nOthers would have to be fetched from elsewhere."
    )


def encoding(mime, data, **more):
    inline = len(data) <= MAX_INLINE_BYTES
    if mime in _PICTURES:
        width, height = _png_size(data)
        url = f"data:{mime};base64,{base64.b64encode(data).decode()}" if inline else None
        facts = {"inline_data_url": url, "width": width, "height": height}
    else:
        field = "markdown_text" if mime == "text/markdown" else "inline_text"
        facts = {field: data.decode("utf-8", "replace") if inline else None}
    return Encoding(mime, _SUFFIXES.get(mime, ".json"), lambda stream: stream.write(data) and None, None, **facts, **more)


def _has_every_attribute(value):
    """A mock or a proxy answers whatever it is asked; what it says of itself means nothing."""
    return getattr(value, "_svc_attribute_that_nobody_has_", None) is not None


def _bundle(value):
    if hasattr(value, "to_plotly_json") and hasattr(value, "to_json"):
        return {"application/vnd.plotly.v1+json": value.to_json()}
    page = drawn_pages.bundle(value)
    if page is not None:
        return page
    method = getattr(value, "_repr_mimebundle_", None)
    if method is None:
        return {}
    altair = sys.modules.get("altair")
    if altair is not None and type(value).__module__.startswith("altair."):
        # Altair's own choice is a page that fetches its scripts from elsewhere.
        with altair.renderers.enable("mimetype"):
            bundle = method()
    else:
        bundle = method(include=None, exclude=None)
    if isinstance(bundle, tuple):  # (data, metadata)
        bundle = bundle[0]
    return bundle if isinstance(bundle, dict) else {}


def _from_method(value, name, mime):
    method = None if isinstance(value, type) else getattr(value, name, None)
    if not callable(method):
        return
    data = method()
    if isinstance(data, tuple):
        data = data[0]
    if data is not None:
        yield encoding(mime, _as_bytes(mime, data))


def _as_bytes(mime, data):
    if mime.endswith("+json") and not isinstance(data, (str, bytes)):
        return json.dumps(data).encode()
    if mime in _PICTURES and isinstance(data, str):
        return base64.b64decode(data)
    return data if isinstance(data, bytes) else str(data).encode("utf-8", "replace")


def _is_a(value, module, name):
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _saved(value, method, **options):
    buffer = io.BytesIO()
    getattr(value, method)(buffer, **options)
    return buffer.getvalue()


def _png_size(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        return None, None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
