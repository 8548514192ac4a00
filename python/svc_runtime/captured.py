"""What `%%capture` keeps of a cell instead of showing it."""

import io
import sys

from svc_runtime import displays


class CapturedIO:
    """What a cell printed and showed. `show()` does it now."""

    def __init__(self, stdout="", stderr="", outputs=()):
        self.stdout, self.stderr, self.outputs = stdout, stderr, list(outputs)

    def __str__(self):
        return self.stdout

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        displays.show(self.outputs)

    __call__ = show


class Capture:
    """Takes the place of the streams and of the displays until it ends."""

    def __init__(self, options):
        words = options.split()
        self.kept = CapturedIO()
        self._streams = {name: getattr(sys, name) for name in ("stdout", "stderr") if f"--no-{name}" not in words}
        for name in self._streams:
            setattr(sys, name, io.StringIO())
        self._displays = None if "--no-display" in words else displays.collect(self.kept.outputs)

    def end(self):
        """True when displays were kept too."""
        for name, stream in self._streams.items():
            setattr(self.kept, name, getattr(sys, name).getvalue())
            setattr(sys, name, stream)
        if self._displays is not None:
            displays.put_back(self._displays)
        return self._displays is not None
