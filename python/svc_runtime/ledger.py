"""Notes, while modules are loaded ahead, which module imports which, and what each import does beside making its module:
variables of the environment, filters of warnings, text on the console. A cell that imports the module later gets the same.
"""

import atexit
import builtins
import importlib.util
import os
import random
import sys
import warnings
import weakref


class Ledger:
    def __init__(self):
        self.edges = {}  # module -> modules that it imports
        self.named = set()  # modules that some import statement names
        self.deeds = {}  # module -> [Deed], each numbered in the order of all
        self.unseeded = []  # weak references to random numbers that begin anywhere
        self.fork_handlers = 0
        self._count = 0

    def deed(self, module, kind, what):
        self._count += 1
        self.deeds.setdefault(module, []).append(Deed(self._count, kind, what))

    def __enter__(self):
        self._import = builtins.__import__
        self._register = os.register_at_fork
        self._at_exit = atexit.register
        self._finalizers = {*weakref.finalize._registry}
        self._seed = random.Random.seed
        self._streams = [_Redirected(1), _Redirected(2)]
        self._before = dict(os.environ), warnings.filters, list(warnings.filters)
        # Said once, when a package is compiled: a cell that imports it later would not hear it either.
        warnings.simplefilter("ignore", SyntaxWarning)
        self._environment = _environment()
        self._filters = list(warnings.filters)
        builtins.__import__ = self._traced_import
        os.register_at_fork = self._counted_register
        atexit.register = self._chosen_exit
        random.Random.seed = self._noted_seed()
        return self

    def __exit__(self, *_):
        builtins.__import__ = self._import
        os.register_at_fork = self._register
        atexit.register = self._at_exit
        for finalizer in weakref.finalize._registry.keys() - self._finalizers:
            finalizer.atexit = False
        random.Random.seed = self._seed
        for stream in self._streams:
            stream.end()
        self._take_back()

    def _take_back(self):
        """The process as it was: what the imports did is done again for whoever imports them."""
        environment, filters, entries = self._before
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update({name: value for name, value in environment.items() if os.environ.get(name) != value})
        filters[:] = entries
        warnings.filters = filters
        announce_filters()

    def settle(self, module):
        """What has changed since the last look was the doing of `module`."""
        now = _environment()
        if now != self._environment:
            changed = [name for name in {*now, *self._environment} if now.get(name) != self._environment.get(name)]
            names = [os.fsdecode(name) for name in changed]
            self.deed(module, "environment", {name: os.environ.get(name) for name in names})
            self._environment = now
        if warnings.filters != self._filters:
            known = [entry for entry in warnings.filters if entry in self._filters]
            first = warnings.filters.index(known[0]) if known else len(warnings.filters)
            new = [(entry, place < first) for place, entry in enumerate(warnings.filters) if entry not in self._filters]
            self.deed(module, "filters", new)
            self._filters = list(warnings.filters)
        for stream in self._streams:
            text = stream.news()
            if text:
                self.deed(module, "text", (stream.descriptor, text))

    def _traced_import(self, name, globals=None, locals=None, fromlist=(), level=0):
        importer = (globals or {}).get("__name__") or ""
        full = name
        if level > 0:
            full = importlib.util.resolve_name("." * level + name, (globals or {}).get("__package__") or importer)
        is_known, count = full in sys.modules, len(sys.modules)
        if not is_known:
            self.settle(importer)
        try:
            return self._import(name, globals, locals, fromlist, level)
        finally:
            imported = [full, *(f"{full}.{part}" for part in fromlist or () if f"{full}.{part}" in sys.modules)]
            if not is_known or len(sys.modules) != count:
                self.settle(imported[-1])
            self._note(importer, imported)

    def _note(self, importer, imported):
        package = imported[0].rpartition(".")[0]
        while package:
            imported.append(package)
            package = package.rpartition(".")[0]
        self.edges.setdefault(importer, set()).update(imported)
        self.named.update(imported)

    def _counted_register(self, **handlers):
        self.fork_handlers += 1
        return self._register(**handlers)

    def _chosen_exit(self, function, *arguments, **options):
        """What a package wants done at the end of its process is not done for cells: most have never used the package."""
        module = sys._getframe(1).f_globals.get("__name__") or ""
        if module.partition(".")[0] in sys.stdlib_module_names:
            return self._at_exit(function, *arguments, **options)
        return function

    def _noted_seed(self):
        ledger, original = self, self._seed

        def seed(numbers, a=None, *rest, **options):
            ledger.unseeded = [known for known in ledger.unseeded if known() not in (None, numbers)]
            if a is None:
                ledger.unseeded.append(weakref.ref(numbers))
            return original(numbers, a, *rest, **options)

        return seed


class Deed:
    def __init__(self, number, kind, what):
        self.number, self.kind, self.what = number, kind, what

    def repeat(self):
        if self.kind == "environment":
            for name, value in self.what.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
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


def _environment():
    return dict(getattr(os.environ, "_data", os.environ))  # as it lies there: decoding takes longer than comparing


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
