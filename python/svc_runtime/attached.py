"""An editor that debugs the cell from where it stopped: debugpy, where the notebook has it, listens on this machine for whatever
speaks the Debug Adapter Protocol. It is loaded when somebody asks for it, and never before. Where the system tells whose a connection
is (Linux), those of other accounts of the machine are closed before a byte of them is read: the protocol has no secret of its own
that editors know how to send.
"""

import os
import socket
import struct
import sys
import threading

_HOST = "127.0.0.1"
# Otherwise it prints that breakpoints in Python's own modules may be missed.
_NO_WARNING = "PYDEVD_DISABLE_FILE_VALIDATION"


class _Editor:
    """One for a process."""

    def __init__(self):
        self.begin(False)

    def begin(self, is_allowed):
        """For a job. `is_allowed`: whoever reaches a port of this machine may do what its cells do."""
        self._is_allowed = is_allowed
        self.address = None

    def told(self, reason):
        """None where no editor can attach; `address`: where it can already. A failure has nothing left to run."""
        from importlib.util import find_spec

        if reason == "failure" or not self._is_allowed or find_spec("debugpy") is None:
            return None
        return {"address": self.address}

    def listen(self):
        """The address, the same for the whole run."""
        if self.address is None:
            port = _free_port()
            os.environ[_NO_WARNING] = "1"
            try:
                import debugpy.server  # which brings pydevd
                import pydevd

                if not callable(getattr(pydevd, "create_server_socket", None)):
                    raise RuntimeError("this debugpy lets every account of the machine attach; install another version of it")
                pydevd.create_server_socket = _own_door
                debugpy.listen((_HOST, port), in_process_debug_adapter=True)
            finally:
                del os.environ[_NO_WARNING]  # what a cell leaves there would hold for the cells below
            self.address = f"{_HOST}:{port}"
        return self.address

    def is_attached(self):
        return self.address is not None and sys.modules["debugpy"].is_client_connected()

    def stop_at_next_line(self, frame):
        import pydevd  # debugpy brings it

        pydevd.settrace(suspend=True, trace_only_current_thread=True, patch_multiprocessing=False, stop_at_frame=frame)

    def stop_here(self, frame):
        """At the line where it stands, which no tracing comes to once more."""
        import pydevd
        from _pydevd_bundle.pydevd_comm_constants import CMD_SET_BREAK

        pydevd.settrace(suspend=False, trace_only_current_thread=True, patch_multiprocessing=False)
        thread, engine = threading.current_thread(), pydevd.get_global_debugger()
        engine.set_suspend(thread, CMD_SET_BREAK)
        engine.do_wait_suspend(thread, frame, "line", None)

    def let_go(self):
        if self.address is not None:
            import pydevd

            pydevd.stoptrace()


def _own_door(host, port):
    """What debugpy waits at."""
    door = _OwnDoor(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    door.bind((host, port))
    return door


class _OwnDoor(socket.socket):
    def accept(self):
        while True:
            connection, address = super().accept()
            if _is_own(connection):
                return connection, address
            connection.close()


def _is_own(connection):
    """Whether it is of the account that the cell runs as, or of root, who needs no debugger to do what it likes."""
    try:
        with open("/proc/self/net/tcp") as table:
            lines = table.readlines()[1:]
    except OSError:
        return not sys.platform.startswith("linux")
    try:
        ends = [_as_listed(connection.getpeername()), _as_listed(connection.getsockname())]
    except OSError:
        return False
    # One that the other side has closed already is listed as root's: only what is open counts.
    owners = [int(line.split()[7]) for line in lines if line.split()[1:4] == [*ends, "01"]]
    return owners in ([os.getuid()], [0])


def _as_listed(address):
    host, port = address
    return "%08X:%04X" % (struct.unpack("=I", socket.inet_aton(host))[0], port)


def _free_port():
    with socket.socket() as taken:
        taken.bind((_HOST, 0))
        return taken.getsockname()[1]


editor = _Editor()
