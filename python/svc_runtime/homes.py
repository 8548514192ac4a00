"""Where the modules of this interpreter lie: those of Python itself, and those of packages."""

import os
import sysconfig


def _folders(*kinds):
    named = {sysconfig.get_path(kind) for kind in kinds}
    return named | {os.path.realpath(place) for place in named}


# Each ends with the separator: what begins like one lies in it.
OF_MODULES = tuple(sorted(os.path.join(place, "") for place in _folders("stdlib", "platstdlib", "purelib", "platlib")))
# These do not; finders and lists of folders name them so.
OF_PACKAGES = frozenset(
    {other for place in _folders("purelib", "platlib") for other in (place, place.replace("/lib/python", "/lib64/python"))}
)
