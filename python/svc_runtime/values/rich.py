"""What only the eye reads: Markdown, images, HTML, LaTeX, charts. Displays alone use these; a variable that holds a
figure is stored like any other object.
"""

import base64
import io
import json
import re
import sys

from svc_runtime.values.encoding import Encoding

# Larger ones are fetched from the stored file.
MAX_INLINE_BYTES = 1024 * 1024
_PREFERRED = ("text/html", "image/svg+xml", "image/png", "text/latex", "text/markdown")
_SUFFIXES = {
    "text/html": ".html",
    "text/plain": ".txt",
    "image/svg+xml": ".svg",
    "text/latex": ".tex",
    "text/markdown": ".md",
    "image/png": ".png",
}


def documented_encodings(value):
    """Markdown and PNG, in the order of the protocol: before JSON."""
    if _has_every_attribute(value):
        return
    yield from _from_method(value, "_repr_markdown_", "text/markdown")
    yield from _from_method(value, "_repr_png_", "image/png")
    if _is_a(value, "matplotlib.figure", "Figure"):
        yield encoding("image/png", _saved(value, "savefig", format="png", bbox_inches="tight"))
    if _is_a(value, "PIL.Image", "Image"):
        yield encoding("image/png", _saved(value, "save", format="PNG"))


def further_encodings(value):
    """Everything that would otherwise be shown as the name of its class."""
    if isinstance(value, type) or _has_every_attribute(value):
        return
    # Altair 6 writes `vnd.vegalite.v6.json`; everybody else, and its own older versions, `+json`.
    bundle = {re.sub(r"(?<=\w)\.json$", "+json", mime): data for mime, data in _bundle(value).items()}
    charts = sorted(mime for mime in bundle if mime.startswith("application/vnd.") and mime.endswith("+json"))
    for mime in (*charts, *_PREFERRED):
        if bundle.get(mime) is not None:
            yield encoding(mime, _as_bytes(mime, bundle[mime]))
    yield from _from_method(value, "_repr_html_", "text/html")
    yield from _from_method(value, "_repr_svg_", "image/svg+xml")
    yield from _from_method(value, "_repr_latex_", "text/latex")


def encoding(mime, data):
    inline = len(data) <= MAX_INLINE_BYTES
    if mime == "image/png":
        width, height = _png_size(data)
        url = f"data:image/png;base64,{base64.b64encode(data).decode()}" if inline else None
        facts = {"inline_data_url": url, "width": width, "height": height}
    else:
        field = "markdown_text" if mime == "text/markdown" else "inline_text"
        facts = {field: data.decode("utf-8", "replace") if inline else None}
    return Encoding(mime, _SUFFIXES.get(mime, ".json"), lambda stream: stream.write(data) and None, None, **facts)


def _has_every_attribute(value):
    """A mock or a proxy answers whatever it is asked; what it says of itself means nothing."""
    return getattr(value, "_svc_attribute_that_nobody_has_", None) is not None


def _bundle(value):
    if hasattr(value, "to_plotly_json") and hasattr(value, "to_json"):
        return {"application/vnd.plotly.v1+json": value.to_json()}
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
    if mime == "image/png" and isinstance(data, str):
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
