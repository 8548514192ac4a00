"""Watches while a module is loaded ahead what its import does beside making modules: variables of the environment, filters of
warnings, text on the console. A cell that imports the module later gets the same.
"""

import atexit
import os
import random
import sys
import warnings
import weakref


class Ledger:
    """Open while modules are loaded. What they did to the process is taken back at the end."""

    def __init__(self):
        self.is_open = False
        self.unseeded = []  # weak references to random numbers that begin anywhere
        self.fork_handlers = 0

    def __enter__(self):
        self._originals = os.register_at_fork, atexit.register, random.Random.seed
        self._finalizers = {*weakref.finalize._registry}
        self._streams = [_Redirected(1), _Redirected(2)]
        self._before = dict(os.environ), warnings.filters, list(warnings.filters)
        # Said once, when a package is compiled: a cell that imports it later would not hear it either.
        warnings.simplefilter("ignore", SyntaxWarning)
        self._seen = _state()
        os.register_at_fork = self._counted_register
        atexit.register = self._chosen_exit
        random.Random.seed = self._noted_seed()
        self.is_open = True
        return self

    def __exit__(self, *_):
        self.is_open = False
        os.register_at_fork, atexit.register, random.Random.seed = self._originals
        for finalizer in weakref.finalize._registry.keys() - self._finalizers:
            finalizer.atexit = False
        for stream in self._streams:
            stream.end()
        environment, filters, entries = self._before
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update({name: value for name, value in environment.items() if os.environ.get(name) != value})
        filters[:] = entries
        warnings.filters = filters
        announce_filters()

    def news(self):
        """What was done since the last look."""
        deeds = []
        (variables, filters), (environment, known) = _state(), self._seen
        if variables != environment:
            changed = sorted(name for name in {*variables, *environment} if variables.get(name) != environment.get(name))
            deeds.append(Deed("environment", {name: variables.get(name) for name in changed}))
        if filters != known:
            kept = [entry for entry in filters if entry in known]
            first = filters.index(kept[0]) if kept else len(filters)
            deeds.append(Deed("filters", [(entry, at < first) for at, entry in enumerate(filters) if entry not in known]))
        for stream in self._streams:
            text = stream.news()
            if text:
                deeds.append(Deed("text", (stream.descriptor, text)))
        self._seen = variables, filters
        return deeds

    def lasting(self, deeds):
        """Without filters that were there for a while only, around the import of another module."""
        for when, deed in deeds:
            if deed.kind == "filters":
                deed = Deed("filters", [entry for entry in deed.what if entry[0] in warnings.filters])
            if deed.what:
                yield when, deed

    def _counted_register(self, **handlers):
        self.fork_handlers += 1
        return self._originals[0](**handlers)

    def _chosen_exit(self, function, *arguments, **options):
        """What a package wants done at the end of its process is not done for cells: most have never used the package."""
        module = sys._getframe(1).f_globals.get("__name__") or ""
        if module.partition(".")[0] in sys.stdlib_module_names:
            return self._originals[1](function, *arguments, **options)
        return function

    def _noted_seed(self):
        ledger, original = self, self._originals[2]

        def seed(numbers, a=None, *rest, **options):
            ledger.unseeded = [known for known in ledger.unseeded if known() not in (None, numbers)]
            if a is None:
                ledger.unseeded.append(weakref.ref(numbers))
            return original(numbers, a, *rest, **options)

        return seed


def _state():
    return dict(os.environ._data), list(warnings.filters)


class Deed:
    def __init__(self, kind, what):
        self.kind, self.what = kind, what

    def repeat(self):
        if self.kind == "environment":
            for name, value in self.what.items():
                if value is None:
                    os.environ.pop(os.environ.decodekey(name), None)
                else:
                    os.environ[os.environ.decodekey(name)] = os.environ.decodevalue(value)
        elif self.kind == "filters":
            fresh = [entry for entry in self.what if entry[0] not in warnings.filters]
            warnings.filters[:0] = [entry for entry, leads in fresh if leads]
            warnings.filters.extend(entry for entry, leads in fresh if not leads)
            announce_filters()
        else:
            descriptor, text = self.what
            stream = sys.stdout if descriptor == 1 else sys.stderr
            stream.write(text.decode("utf-8", "backslashreplace"))


def announce_filters():
    """Python remembers which warnings it has weighed until the filters change; this is how it is told."""
    with warnings.catch_warnings():
        pass


def _unnamed_file():
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("svc"), "w+b")
    import tempfile

    return tempfile.TemporaryFile()


class _Redirected:
    """One of the console's streams, written to a file meanwhile."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self._python = sys.stdout if descriptor == 1 else sys.stderr
        self._python.flush()
        self._file = _unnamed_file()
        self._original = os.dup(descriptor)
        os.dup2(self._file.fileno(), descriptor)
        self._seen = 0

    def news(self):
        self._python.flush()
        size = os.fstat(self._file.fileno()).st_size
        if size == self._seen:
            return b""
        text = os.pread(self._file.fileno(), size - self._seen, self._seen)
        self._seen = size
        return text

    def end(self):
        self._python.flush()
        os.dup2(self._original, self.descriptor)
        os.close(self._original)
        self._file.close()
