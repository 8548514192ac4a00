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

    # Not by `pyarrow.table`: it loads pandas wherever that is installed, and cells that do without would pay for it.
    number, text = pyarrow.nulls(1, pyarrow.float64()), pyarrow.nulls(1, pyarrow.string())
    _store_and_read(pyarrow.Table.from_arrays([number, text], names=["number", "text"]))
    if "pandas" in sys.modules:
        _rehearse_frames(pyarrow, sys.modules["pandas"])


def _rehearse_frames(pyarrow, pandas):
    import numpy

    small = pandas.DataFrame({"number": [1.0], "text": ["x"]})
    pyarrow.Table.from_pandas(small, nthreads=1).to_pandas(use_threads=False)
    read = _store_and_read(pandas.DataFrame({"number": numpy.zeros(pandas_frames.LARGE_ROWS)}))
    for encoding in arrow_scalars.encodings(read["number"].sum()):
        encoding.write(io.BytesIO())
    _forget_pandas(pyarrow)


def _forget_pandas(pyarrow):
    """It remembers that it has pandas. As long as it does not, a cell that makes a table gets pandas with it."""
    shim = getattr(pyarrow.lib, "_pandas_api", None)
    if shim is not None:
        shim.__init__()


def _store_and_read(table):
    stream = io.BytesIO()
    for encoding in arrow_tables.encodings(table, certain=True):
        encoding.write(stream)
        encoding.record()
    memory = mmap.mmap(-1, stream.tell())
    memory.write(stream.getvalue())
    read = arrow_tables.from_mapped(MappedTable(memory))
    mutation.fingerprint(read)
    return read
