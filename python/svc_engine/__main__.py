"""Start one engine process: `python -I [-S] <path>/svc_engine/__main__.py analysis|data|sql`.

`analysis` needs the standard library alone, hence `-S`; `data` and `sql` need the packages of `requirements.txt`. Requests
arrive on file descriptor 3 and answers leave on 4, so standard output stays free for whatever a library prints.
"""

import os
import sys

# Run by its file, in isolation, Python puts no folder on the path. (Run by its folder it would load `runpy` and what that
# needs, which costs the analysis process a tenth of its memory.)
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from svc_engine.server import STACK_BYTES, serve  # noqa: E402 (the path has to be right first)


def main(arguments):
    if arguments == ["analysis"]:
        from svc_engine.analysis import OPERATIONS
    elif arguments == ["data"]:
        from svc_engine.bounds import bound_memory
        from svc_engine.operations import OPERATIONS

        bound_memory(STACK_BYTES)
    elif arguments == ["sql"]:
        from svc_engine.sql import OPERATIONS
    else:
        sys.exit("usage: python -I [-S] <path>/svc_engine/__main__.py analysis|data|sql")
    serve(OPERATIONS)


main(sys.argv[1:])
