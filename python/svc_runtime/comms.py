"""Comms of widgets without a kernel: what a widget opens and sends is written down, so that it can be shown with its state."""

import base64
import contextlib
import hashlib
import json
import re
import sys

VIEW = "application/vnd.jupyter.widget-view+json"
# Whose front ends the page has.
SHOWN_MODULES = {"@jupyter-widgets/base", "@jupyter-widgets/controls", "@jupyter-widgets/output", "anywidget"}
_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")


class Model:
    """What the other side knows of one widget."""

    def __init__(self):
        self.state = {}
        self.buffers = {}  # by path

    def take(self, data, buffers):
        paths = [tuple(path) for path in data.get("buffer_paths") or ()]
        state = _plain(data.get("state") or {})
        changed = {*state, *(path[0] for path in paths)}
        self.state = {**{key: value for key, value in self.state.items() if key not in changed}, **state}
        self.buffers = {path: kept for path, kept in self.buffers.items() if path[0] not in changed}
        self.buffers.update((path, bytes(buffer)) for path, buffer in zip(paths, buffers or ()))

    def embedded(self):
        facts = {name: self.state.get(f"_{name}") for name in ("model_name", "model_module", "model_module_version")}
        buffers = [{"path": list(path), **in_base64(buffer)} for path, buffer in self.buffers.items()]
        return {**facts, "state": self.state, **({"buffers": buffers} if buffers else {})}


class Desk:
    """All comms of the process. Names count up by cell: the same cell gives the same bytes each time."""

    def __init__(self):
        self.begin("")

    def begin(self, cell_id):
        self.models = {}
        self.comms = {}
        self._words = {}  # of widgets that were shown; as Jupyter says them, at that moment
        self.tell = None  # of a process that is kept: hears what is sent
        self._cell, self._count = cell_id, 0

    @property
    def cell_id(self):
        return self._cell

    @contextlib.contextmanager
    def of_cell(self, cell_id):
        """While the source of another cell is run: its widgets are the ones that it shows itself."""
        before, self._cell, self._count = (self._cell, self._count), cell_id, 0
        try:
            yield
        finally:
            self._cell, self._count = before

    def new_id(self):
        self._count += 1
        return hashlib.sha256(f"{self._cell} {self._count}".encode()).hexdigest()[:32]

    def published(self, comm, kind, data, buffers):
        if kind == "comm_close":
            self.models.pop(comm.comm_id, None)
            self.comms.pop(comm.comm_id, None)
        elif comm.target_name == "jupyter.widget" and (kind == "comm_open" or data.get("method") in ("update", "echo_update")):
            self.comms[comm.comm_id] = comm
            self.models.setdefault(comm.comm_id, Model()).take(data, buffers)
        # An echo tells a page what it said itself.
        if self.tell is not None and data.get("method") != "echo_update":
            self.tell(comm.comm_id, kind, _plain(data or {}), buffers or ())

    def view_of(self, model_id, text):
        """What is kept of a widget that is shown: its view, and the state of all that belong together; None for a stranger."""
        model = self.models.get(model_id)
        if model is None or model.state.get("_model_module") not in SHOWN_MODULES:
            return None
        together = self._together_with(model_id)
        state = {name: model.embedded() for name, model in self.models.items() if name in together}
        return {
            "version_major": 2,
            "version_minor": 0,
            "model_id": model_id,
            "text": self._words.setdefault(model_id, text),
            "is_heard": any(_is_heard(name) for name in state),
            "widgets": {"version_major": 2, "version_minor": 0, "state": state},
        }

    def _together_with(self, model_id):
        """The models that name each other, in either direction: a link names the two that it joins, and nobody names it."""
        mentioned = {
            name: {*_ID.findall(json.dumps(model.state))} & self.models.keys() for name, model in self.models.items()
        }
        found, pending = set(), [model_id]
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += mentioned[name]
                pending += [other for other, names in mentioned.items() if name in names]
        return found


desk = Desk()


def in_base64(buffer):
    return {"encoding": "base64", "data": base64.b64encode(buffer).decode("ascii")}


def _plain(value):
    """As it is now; JSON has no NaN."""
    try:
        return json.loads(json.dumps(value, default=str, allow_nan=False))
    except ValueError:
        return json.loads(json.dumps(value, default=str), parse_constant=lambda _: None)


def _is_heard(model_id):
    """Whether code of the notebook wants to be told what a person does with it."""
    module = sys.modules.get("ipywidgets.widgets.widget")
    widget = getattr(module, "_instances", {}).get(model_id)
    if widget is None:
        return False
    dispatchers = (vars(widget).get(name) for name in ("_click_handlers", "_submission_callbacks"))
    if any(getattr(dispatcher, "callbacks", None) for dispatcher in dispatchers):
        return True
    listeners = [one for kinds in widget._trait_notifiers.values() for some in kinds.values() for one in some]
    listeners += widget._msg_callbacks.callbacks
    return any(not _is_its_own(listener, widget) for listener in listeners)


def _is_its_own(listener, widget):
    """What a class observes of itself is there without a notebook; `interactive` listens to other widgets."""
    if hasattr(listener, "trait_names") or getattr(listener, "__self__", None) is widget:
        return str(getattr(listener, "__module__", None) or "").partition(".")[0] in ("ipywidgets", "traitlets", "anywidget")
    return False


def adjust(module):
    """Widgets find their comms in this package, whose own lead nowhere."""

    class Comm(module.base_comm.BaseComm):
        def __init__(self, *arguments, comm_id=None, **options):
            super().__init__(*arguments, comm_id=comm_id or desk.new_id(), **options)

        def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
            desk.published(self, msg_type, data or {}, buffers)

        def handle_msg(self, msg):
            if self._msg_callback:
                self._msg_callback(msg)

        def __reduce__(self):
            raise TypeError("a widget belongs to its process")

    module.create_comm = Comm
