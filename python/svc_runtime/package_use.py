"""Which installed packages a run could have noticed: those it loaded, and those it only looked for, found or not.

Who adds a package to a notebook can then be told which cells it could matter to. Modules are looked for by `sys.meta_path`, and
so are packages by `importlib.metadata`: a finder that stands first there hears of each, and finds nothing. Python's own finder
tells of whoever asks it directly, and `effects.py` of files that are opened or asked for by their names. What a module looked for
while it was loaded ahead is looked for by whoever takes it from the shelf.

Not heard: a package that reads the folder of packages by itself while it is loaded ahead.
"""

import os
import re
import sys
from importlib.machinery import FileFinder

from svc_runtime import homes

# Looks for all packages in a way of its own.
_LISTING_MODULES = {"pkg_resources"}
ANY_PACKAGE, ANY_ENTRY_POINT = "*", "entry-points"
_NOT_INSTALLED = {*sys.stdlib_module_names, "__main__", "__mp_main__", "svc_runtime", "sitecustomize", "usercustomize"}
# See `rehearsal.py`.
_TRIED_OUT = {"pandas", "pyarrow"}
_MOST_CHARACTERS = 20_000
_OF_FILES = (".py", ".pyc", ".so", ".pyd", ".pth")
# Beside their modules packages bring programs and other files.
_ENVIRONMENTS = {os.path.join(place, "") for place in (sys.prefix, os.path.realpath(sys.prefix)) if sys.prefix != sys.base_prefix}
_OF_NO_PACKAGE = re.compile(r"lib(64)?(/python[^/]*(/[^/]*)?)?|bin|bin/python[\d.]*|pyvenv\.cfg|svc-[^/]*")


class PackageUse:
    def __init__(self):
        self._recent = set()  # since modules were last put on the shelf
        self.module_loads = None  # where it belongs what is looked for while modules are loaded ahead
        self._asked = set()

    def install(self):
        sys.meta_path.insert(0, self)
        find_spec = FileFinder.find_spec

        def noting_find_spec(finder, fullname, target=None):
            if finder.path in homes.OF_PACKAGES:
                self.note(fullname.partition(".")[0])
            return find_spec(finder, fullname, target)

        FileFinder.find_spec = noting_find_spec

    def begin(self):
        """A cell begins. What was tried out with a package before matters to cells that use one, and is told by `end`."""
        self._before, self._asked = self._asked, set()

    def end(self, shelf):
        """Names with blanks between; None where more could have been noticed than can be told."""
        names = {name.partition(".")[0] for name in list(sys.modules)} | self._asked | shelf.asked
        names -= _NOT_INSTALLED
        if not names.isdisjoint(_LISTING_MODULES):
            names.add(ANY_PACKAGE)
        if not names.isdisjoint(_TRIED_OUT):
            names |= self._before - _NOT_INSTALLED
        told = " ".join(sorted(name for name in names if name.isprintable() and " " not in name))
        return None if len(told) > _MOST_CHARACTERS or _has_started_processes() else told

    def note(self, name):
        self._recent.add(name)
        (self._asked if self.module_loads is None else self.module_loads()).add(name)

    def note_path(self, path):
        """Of a file or folder that somebody looks at without an import."""
        for home in homes.OF_PACKAGES:
            if path.startswith(f"{home}{os.sep}"):
                first = path[len(home) + 1 :].partition(os.sep)[0]
                if first.endswith(".dist-info"):
                    if not _is_asked_for_entry_points():  # which looks into each package
                        self.note(f"dist:{_normalised(first.partition('-')[0])}")
                elif first:
                    if not first.endswith(_OF_FILES):
                        self.note(first)
                    self.note(first.partition(".")[0])
                return
        for place in _ENVIRONMENTS:
            if path.startswith(place) and not _OF_NO_PACKAGE.fullmatch(path, len(place)):
                self.note(ANY_PACKAGE)

    def note_folder(self, path):
        """Of one that is listed or opened: whatever it holds may be looked at."""
        if path in homes.OF_PACKAGES:
            self.note(ANY_PACKAGE)
        else:
            self.note_path(os.path.join(path, ""))

    def take_recent(self):
        """What new modules may have looked for, also those of which nobody saw how they were loaded."""
        recent, self._recent = self._recent, set()
        return recent

    def find_spec(self, name, path=None, target=None):
        self.note(name.partition(".")[0])
        return None

    def find_distributions(self, context=None):
        name = getattr(context, "name", None)
        if name is not None:
            self.note(f"dist:{_normalised(name)}")
        else:
            self.note(ANY_ENTRY_POINT if _is_asked_for_entry_points() else ANY_PACKAGE)
        return ()


def _normalised(name):
    """As indexes write names of packages."""
    return re.sub("[-_.]+", "-", name).lower()


def _is_asked_for_entry_points():
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "entry_points" and "metadata" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _has_started_processes():
    """Of Python's own kind, which load modules for themselves; of programs is told elsewhere."""
    counter = getattr(sys.modules.get("multiprocessing.process"), "_process_counter", None)
    return counter is not None and repr(counter) != "count(1)"


package_use = PackageUse()
