"""Start one engine process: `python -I -S <path>/svc_engine analysis` or `python -I <path>/svc_engine data|sql`.

`analysis` needs the standard library alone, hence `-S`; `data` and `sql` need the packages of `requirements.txt`. Requests
arrive on file descriptor 3 and answers leave on 4, so standard output stays free for whatever a library prints.
"""

import os
import sys

if not __package__:
    # Run by its folder, Python puts that folder itself first on the path: take its parent, so that the package has
    # its name and none of its modules hides one of the standard library.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from svc_engine.server import serve  # noqa: E402 (the path has to be right first)


def main(arguments):
    if arguments == ["analysis"]:
        from svc_engine.analysis import OPERATIONS
    elif arguments == ["data"]:
        from svc_engine.operations import OPERATIONS
    elif arguments == ["sql"]:
        from svc_engine.sql import OPERATIONS
    else:
        sys.exit("usage: python -I [-S] <path>/svc_engine analysis|data|sql")
    serve(OPERATIONS)


main(sys.argv[1:])
