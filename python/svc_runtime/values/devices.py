"""Tensors on a GPU are stored from the CPU, and other cells find them there. The cell that stores one is told."""

import sys

_met = set()


def is_cpu(device):
    """Also writes down, for `tell`, a device that is another one."""
    if device.type == "cpu":
        return True
    _met.add(str(device))
    return False


def forget():
    _met.clear()


def tell(name):
    if not _met:
        return
    places = ", ".join(sorted(_met))
    _met.clear()
    line = f"svc: '{name}' was on {places} and is stored from the CPU: other cells get it there, and move it with .to()"
    try:
        print(line, file=sys.stderr)
    except Exception:
        pass  # the cell closed or replaced its stderr
