"""The classes of `IPython.display` for notebooks whose environment lacks the package: the same names and arguments."""

import base64
import html
import json
import os
import urllib.parse


class DisplayObject:
    """Data of one kind, given itself, by the name of a file or by an address."""

    _read_flags = "r"

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        data = str(data) if isinstance(data, os.PathLike) else data
        if isinstance(data, str) and url is None and data.startswith(("http:", "https:")):
            data, url = None, data
        elif isinstance(data, str) and filename is None and _is_file(data):
            data, filename = None, data
        self.data, self.url, self.metadata = data, url, metadata or {}
        self.filename = None if filename is None else str(filename)
        if self.data is None:
            self.reload()

    def reload(self):
        """Read the file or the address again."""
        if self.filename is not None:
            with open(self.filename, self._read_flags, **({} if "b" in self._read_flags else {"encoding": "utf-8"})) as file:
                self.data = file.read()
        elif self.url is not None:
            found = _fetched(self.url)
            self.data = found if "b" in self._read_flags else found.decode("utf-8", "replace")

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__name__} object>"


def _is_file(text):
    try:
        return os.path.isfile(text)
    except (OSError, ValueError):
        return False


def _fetched(url):
    from urllib.request import urlopen

    with urlopen(url) as answer:
        return answer.read()


class TextDisplayObject(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, metadata=None):
        super().__init__(data, url, filename, metadata)
        if self.data is not None and not isinstance(self.data, str):
            raise TypeError(f"{type(self).__name__} expects text, not {self.data!r}")


class Pretty(TextDisplayObject):
    def _repr_pretty_(self, printer, cycle):
        printer.text(self.data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.data}


class HTML(TextDisplayObject):
    def _repr_html_(self):
        return self.data

    __html__ = _repr_html_


class Markdown(TextDisplayObject):
    def _repr_markdown_(self):
        return self.data


class Latex(TextDisplayObject):
    def _repr_latex_(self):
        return self.data


class Math(TextDisplayObject):
    def _repr_latex_(self):
        return f"$\\displaystyle {self.data.strip('$')}$"


class SVG(DisplayObject):
    def _repr_svg_(self):
        text = self.data.decode("utf-8", "replace") if isinstance(self.data, bytes) else self.data
        begin, end = text.find("<svg"), text.rfind("</svg>")
        return text[begin : end + len("</svg>")] if 0 <= begin < end else text


class Javascript(TextDisplayObject):
    def __init__(self, data=None, url=None, filename=None, lib=None, css=None):
        super().__init__(data, url, filename)
        self.lib = [lib] if isinstance(lib, str) else lib or []
        self.css = [css] if isinstance(css, str) else css or []

    def _repr_javascript_(self):
        return self.data


class JSON(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None, root="root", **_):
        self.expanded, self.root = expanded, root
        super().__init__(data, url, filename, metadata)
        if isinstance(self.data, (str, bytes)):
            self.data = json.loads(self.data)

    def _repr_json_(self):
        return self.data


class Code(TextDisplayObject):
    def __init__(self, data=None, url=None, filename=None, language=None):
        super().__init__(data, url, filename)
        self.language = language

    def _repr_html_(self):
        return f"<pre><code>{html.escape(self.data)}</code></pre>"

    def __repr__(self):
        return self.data


class ProgressBar(DisplayObject):
    """A bar that shows itself anew with every step."""

    def __init__(self, total):
        from svc_runtime.ipython_display import DisplayHandle

        super().__init__("")
        self.total, self._progress, self._handle, self._is_shown = total, 0, DisplayHandle(), False

    def _repr_html_(self):
        return f'<progress style="width:60ex" max="{self.total}" value="{self._progress}"></progress>'

    def __repr__(self):
        return f"[{self._progress}/{self.total}]"

    def display(self):
        self._handle.display(self)
        self._is_shown = True

    def update(self):
        self._handle.update(self)

    @property
    def progress(self):
        return self._progress

    @progress.setter
    def progress(self, value):
        self._progress = value
        self.update()

    def __iter__(self):
        self.display()
        self._progress = -1
        return self

    def __next__(self):
        self.progress += 1
        if self._progress >= self.total:
            raise StopIteration
        return self._progress


_PICTURES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_BEGINNINGS = {b"\x89PNG": "png", b"\xff\xd8": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


class Image(DisplayObject):
    _read_flags = "rb"

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, retina=False,
                 unconfined=False, metadata=None, alt=None):  # fmt: skip
        data = str(data) if isinstance(data, os.PathLike) else data
        by_name = url or filename or (data if isinstance(data, str) else None)
        self.width, self.height, self.retina, self.alt, self.unconfined = width, height, retina, alt, unconfined
        by_address = url is not None or (isinstance(data, str) and data.startswith(("http:", "https:")))
        self.embed = not by_address if embed is None else embed
        if by_address and not self.embed:
            self.data, self.url, self.filename, self.metadata = None, url or data, None, metadata or {}
        else:
            super().__init__(data, url, filename, metadata)
        ending = os.path.splitext(str(by_name or ""))[1][1:].lower()
        known = next((kind for start, kind in _BEGINNINGS.items() if bytes(self.data or b"")[: len(start)] == start), "png")
        self.format = (format or (ending if ending in _PICTURES else known)).lower()

    def _repr_html_(self):
        if self.embed:
            return None
        size = "".join(f' {name}="{value}"' for name, value in (("width", self.width), ("height", self.height)) if value)
        return f'<img src="{html.escape(self.url)}"{size} alt="{html.escape(self.alt or "")}"/>'

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {_PICTURES.get(self.format, "image/png"): self.data} if self.embed else {"text/html": self._repr_html_()}

    def _repr_png_(self):
        return self.data if self.embed and self.format == "png" else None

    def _repr_jpeg_(self):
        return self.data if self.embed and self.format in ("jpg", "jpeg") else None


class _Media(DisplayObject):
    """Sound and film: in the page itself unless they are named by an address."""

    _read_flags = "rb"
    _type, _default = "", ""

    def _address(self):
        if self.url is not None and not self.embed:
            return html.escape(self.url)
        data = self.data if isinstance(self.data, str) else base64.b64encode(self.data).decode()
        return f"data:{self.mimetype};base64,{data}"

    def reload(self):
        if self.filename is not None or self.embed:
            super().reload()

    def _guessed(self):
        import mimetypes

        return mimetypes.guess_type(str(self.filename or self.url or ""))[0] or self._default


class Audio(_Media):
    _default = "audio/wav"

    def __init__(self, data=None, filename=None, url=None, embed=None, rate=None, autoplay=False, normalize=True, *,
                 element_id=None):  # fmt: skip
        if data is None and filename is None and url is None:
            raise ValueError("No audio data found. Expecting filename, url, or data.")
        self.embed = url is None if embed is None else embed
        self.autoplay, self.element_id = autoplay, element_id
        super().__init__(data, url, filename)
        self.mimetype = self._guessed()
        if self.data is not None and not isinstance(self.data, (str, bytes)):
            if rate is None:
                raise ValueError("rate must be specified when data is a numpy array or list of audio samples.")
            self.data, self.mimetype = _wave(self.data, rate, normalize), "audio/wav"

    def _repr_html_(self):
        name = f' id="{html.escape(self.element_id)}"' if self.element_id else ""
        plays = ' autoplay="autoplay"' if self.autoplay else ""
        return f'<audio{name} controls="controls"{plays}><source src="{self._address()}" type="{self.mimetype}"/></audio>'


def _wave(samples, rate, normalize):
    """Samples between -1 and 1, or a list of them for each channel, as 16 bits each."""
    import array
    import io
    import wave

    rows = [list(map(float, row)) for row in samples] if hasattr(samples[0], "__len__") else [list(map(float, samples))]
    highest = max((abs(value) for row in rows for value in row), default=0)
    if not normalize and highest > 1:
        raise ValueError("Audio data must be between -1 and 1 when normalize=False.")
    scale = 32767 / (highest if normalize and highest else 1)
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((len(rows), 2, int(rate), 0, "NONE", "not compressed"))
        file.writeframes(array.array("h", (int(value * scale) for frame in zip(*rows) for value in frame)).tobytes())
    return buffer.getvalue()


class Video(_Media):
    _default = "video/mp4"

    def __init__(self, data=None, url=None, filename=None, embed=False, mimetype=None, width=None, height=None,
                 html_attributes="controls"):  # fmt: skip
        # A page can read no file of the server: one that is named comes along.
        self.embed, self.width, self.height, self.html_attributes = embed, width, height, html_attributes
        super().__init__(data, url, filename)
        self.mimetype = mimetype or self._guessed()

    def _repr_html_(self):
        size = "".join(f' {name}="{value}"' for name, value in (("width", self.width), ("height", self.height)) if value)
        return f'<video src="{self._address()}" {self.html_attributes}{size}></video>'


class IFrame:
    def __init__(self, src, width, height, extras=None, **params):
        self.src, self.width, self.height, self.extras, self.params = src, width, height, extras or [], params

    def _repr_html_(self):
        query = f"?{urllib.parse.urlencode(self.params)}" if self.params else ""
        extras = " ".join(self.extras)
        source = html.escape(f"{self.src}{query}")
        return f'<iframe width="{self.width}" height="{self.height}" src="{source}" frameborder="0" allowfullscreen {extras}></iframe>'


class YouTubeVideo(IFrame):
    def __init__(self, id, width=400, height=300, allow_autoplay=False, **params):
        self.id = id
        super().__init__(f"https://www.youtube.com/embed/{id}", width, height, **params)


class VimeoVideo(IFrame):
    def __init__(self, id, width=400, height=300, **params):
        self.id = id
        super().__init__(f"https://player.vimeo.com/video/{id}", width, height, **params)


class FileLink:
    def __init__(self, path, url_prefix="", result_html_prefix="", result_html_suffix="<br>"):
        self.path, self._prefix, self._around = str(path), url_prefix, (result_html_prefix, result_html_suffix)

    def _repr_html_(self):
        if not os.path.exists(self.path):
            return f"Path (<tt>{html.escape(self.path)}</tt>) doesn't exist."
        address = html.escape(self._prefix + self.path)
        return f"{self._around[0]}<a href='{address}' target='_blank'>{html.escape(self.path)}</a>{self._around[1]}"

    def __repr__(self):
        return os.path.abspath(self.path)


class FileLinks(FileLink):
    def _repr_html_(self):
        names = sorted(os.path.join(folder, name) for folder, _, files in os.walk(self.path) for name in files)
        return "".join(FileLink(name, self._prefix, *self._around)._repr_html_() for name in names)
