"""Start the process that gives birth to cell processes: `python <path>/svc_runtime zygote <options as JSON>`.

`cell` is how a zygote starts one where it must not fork. Requests arrive on file descriptor 3, answers leave on 4.
"""

import os
import sys


def main(arguments):
    # Run by its folder, Python puts that folder itself first on the path, where its modules would hide those of others.
    # The package is found by its own `__path__` from here on: cells do not see it beside their imports.
    parent = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[0] = parent
    from svc_runtime import child, zygote

    sys.path.remove(parent)
    if len(arguments) == 2 and arguments[0] == "zygote":
        birth = zygote.serve(arguments[1])
    elif len(arguments) == 2 and arguments[0] == "cell":
        birth = child.spawned(arguments[1])
    else:
        sys.exit("usage: python <path>/svc_runtime zygote|cell <options as JSON>")
    child.live(birth)


if __name__ == "__main__":  # a cell's own multiprocessing may import this file again under another name
    main(sys.argv[1:])
