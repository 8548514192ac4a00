"""A process that reads tables which others made takes a part of the machine's memory and not all of it: a few kilobytes can stand for
many gigabytes, and whoever asks for those is refused while the machine goes on. Files that are mapped do not count."""

import os
import sys

SHARE = 0.75


def bound_memory(besides):
    """`besides`: bytes that are set aside and hardly ever touched, such as stacks."""
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(_machine_bytes() * SHARE) + besides
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _machine_bytes():
    """What there is: of the machine, or of the control group of this process where that is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(place, encoding="ascii") as file:
                text = file.read().strip()
        except OSError:
            continue
        if text.isdigit():
            total = min(total, int(text))
    return total
