"""The tests of a cell: real pytest, in the process of a run. Tests see the cell through the fixture `cell`, whose attributes
are the names that one run of its source leaves behind.
"""

import os
import sys
import types


_MESSAGE = 20_000  # characters of one test: its beginning and its end
_MESSAGES = 2_000_000  # of all tests together


class PytestMissing(Exception):
    """The notebook's environment has no pytest."""


def run_tests(test_source, folder, namespace_of_cell):
    """Run a test file; `namespace_of_cell` runs the cell and is asked at most once. Gives one record for each test."""
    try:
        import pytest
    except ImportError as problem:
        raise PytestMissing(str(problem)) from None
    place = os.path.join(folder, "tests")
    os.makedirs(place, exist_ok=True)
    file = os.path.join(place, "test_cell.py")
    with open(file, "w", encoding="utf-8", newline="\n") as target:
        target.write(test_source)
    recorder = _Recorder()
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", place, "--confcutdir", place, "-c", os.devnull]
    sys.dont_write_bytecode = True
    pytest.main([*options, "--import-mode=importlib", file], plugins=[recorder, _fixtures(pytest, namespace_of_cell)])
    return list(recorder.tests.values())


def _fixtures(pytest, namespace_of_cell):
    """A plugin with the fixture `cell`; pytest looks for fixtures on the class of a plugin."""

    class Fixtures:
        @pytest.fixture(scope="session")
        def cell(self):
            names = namespace_of_cell()
            return types.SimpleNamespace(**{name: value for name, value in names.items() if not name.startswith("__")})

    return Fixtures()


class _Recorder:
    def __init__(self):
        self.tests = {}
        self._left = _MESSAGES

    def pytest_collectreport(self, report):
        if report.failed:
            self._record(report.nodeid, "error", report.longreprtext)

    def pytest_runtest_logreport(self, report):
        if report.passed and report.when != "call":
            return
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
            self._record(report.nodeid, "skipped", str(reason))
        elif report.passed:
            self._record(report.nodeid, "passed", "")
        else:
            outcome = "failed" if report.when == "call" else "error"
            self._record(report.nodeid, outcome, _message(report))

    def _record(self, nodeid, outcome, message):
        nodeid = nodeid[nodeid.rfind("test_cell.py") :] if "test_cell.py" in nodeid else nodeid
        before = self.tests.get(nodeid)
        if before is not None and outcome == "error":  # a teardown that failed after its test
            message = "\n".join(part for part in (before["message"], message) if part)
        message = _shortened(message, min(_MESSAGE, self._left))
        self._left -= len(message)
        name = nodeid.rpartition("::")[2] or nodeid
        self.tests[nodeid] = {"name": name, "nodeid": nodeid, "outcome": outcome, "message": message}


def _message(report):
    """What pytest says, and what the test printed."""
    printed = (f"\n----- {title} -----\n{text}" for title, text in report.sections if text)
    return report.longreprtext + "".join(printed)


def _shortened(text, length):
    if len(text) <= length:
        return text
    half = length // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[len(text) - half :]}"
