"""Goes once through storing and reading a table with the packages that are loaded already, so that what they put off
until their first use is done, and what a forked process must copy of its parent's memory is copied, before somebody waits.

All of them were found safe to fork after this. Nothing here may start a thread.
"""

import io
import mmap
import sys

from svc_runtime import mutation
from svc_runtime.values import arrow_columns, arrow_scalars, arrow_tables, pandas_frames
from svc_runtime.values.arrow_file import MappedTable, arrow, write_table


def rehearse_from(shelf):
    """In a process whose modules lie on the shelf; they are put back. Data frames where cells have to do with them: much of
    what they need is theirs alone, and many libraries bring pandas along.
    """
    with shelf.lent("pyarrow.ipc", *(["pandas"] if shelf.expects("pandas") else [])):
        if "pyarrow.ipc" in sys.modules:
            _number_and_back()
        if {"pyarrow.ipc", "pandas"} <= sys.modules.keys():
            _text_and_back()
            _frame_and_back()


def _number_and_back():
    # Whatever asks arrow to look at values of Python imports pandas, wherever that is installed.
    table = arrow().Table.from_arrays([arrow_columns.of_number(1.0)], names=["value"])
    _mapped(lambda stream: write_table(table, stream)).table.to_pylist()


def _text_and_back():
    frame = sys.modules["pandas"].DataFrame({"number": [1.0], "text": ["x"]})
    arrow().Table.from_pandas(frame, nthreads=1).to_pandas(use_threads=False)


def _frame_and_back():
    import numpy

    frame = sys.modules["pandas"].DataFrame({"number": numpy.zeros(pandas_frames.LARGE_ROWS)})
    for encoding in arrow_tables.encodings(frame, certain=True):
        encoding.record()
        read = arrow_tables.from_mapped(_mapped(encoding.write))
        mutation.fingerprint(read)
        for number in arrow_scalars.encodings(read["number"].sum()):
            number.write(io.BytesIO())


def _mapped(write):
    stream = io.BytesIO()
    write(stream)
    memory = mmap.mmap(-1, stream.tell())
    memory.write(stream.getvalue())
    return MappedTable(memory)
