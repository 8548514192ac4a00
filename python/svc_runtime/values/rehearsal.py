"""Goes once through storing and reading a table with the packages that are loaded already, so that what they put off
until their first use is done, and what a forked process must copy of its parent's memory is copied, before somebody waits.

All of them were found safe to fork after this. Nothing here may start a thread.
"""

import io
import mmap
import sys

from svc_runtime import mutation
from svc_runtime.values import arrow_scalars, arrow_tables, pandas_frames
from svc_runtime.values.arrow_file import MappedTable


def rehearse_from(shelf):
    """The same in a process whose modules lie on the shelf: they are put back."""
    with shelf.lent("pyarrow.ipc", "pandas"):
        rehearse()


def rehearse():
    if "pyarrow.ipc" not in sys.modules:
        return
    import pyarrow

    _text_and_back(pyarrow)
    if "pandas" in sys.modules:
        import numpy

        _store_and_read(sys.modules["pandas"].DataFrame({"number": numpy.zeros(pandas_frames.LARGE_ROWS)}))


def _text_and_back(pyarrow):
    table = pyarrow.table({"number": [1.0], "text": ["x"]})
    if "pandas" in sys.modules:
        frame = sys.modules["pandas"].DataFrame({"number": [1.0], "text": ["x"]})
        table = pyarrow.Table.from_pandas(frame, nthreads=1)
        table.to_pandas(use_threads=False)


def _store_and_read(frame):
    stream = io.BytesIO()
    for encoding in arrow_tables.encodings(frame, certain=True):
        encoding.write(stream)
        encoding.record()
    memory = mmap.mmap(-1, stream.tell())
    memory.write(stream.getvalue())
    read = arrow_tables.from_mapped(MappedTable(memory))
    mutation.fingerprint(read)
    for encoding in arrow_scalars.encodings(read["number"].sum()):
        encoding.write(io.BytesIO())
