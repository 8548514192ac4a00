"""`%time` and `%timeit`: what is measured and the words for it, as IPython says them."""

import ast
import gc
import itertools
import math
import re
import time

from svc_runtime.ipython_syntax import translate

_LONG_ENOUGH_SECONDS = 0.2


class Stopwatch:
    def __init__(self):
        self._cpu, self._wall = _cpu_seconds(), time.perf_counter()

    def text(self):
        wall = time.perf_counter() - self._wall
        user, system = (now - before for now, before in zip(_cpu_seconds(), self._cpu))
        total = f", total: {duration(user + system)}"
        return f"CPU times: user {duration(user)}, sys: {duration(system)}{total}\nWall time: {duration(wall)}"


def _cpu_seconds():
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime, used.ru_stime


def duration(seconds, digits=3):
    if seconds >= 60:
        parts = [("d", seconds // 86400), ("h", seconds // 3600 % 24), ("min", seconds // 60 % 60), ("s", seconds % 60)]
        return " ".join(f"{int(value)}{unit}" for unit, value in parts if int(value) > 0)
    order = min(-int(math.floor(math.log10(seconds)) // 3), 3) if seconds > 0 else 3
    return f"{seconds * 1000**order:.{digits}g} {('s', 'ms', 'μs', 'ns')[order]}"


class TimeitResult:
    """What `%timeit -o` gives."""

    def __init__(self, loops, repeat, all_runs, precision):
        self.loops, self.repeat, self.all_runs, self._precision = loops, repeat, all_runs, precision
        self.timings = [run / loops for run in all_runs]
        self.best, self.worst = min(self.timings), max(self.timings)

    @property
    def average(self):
        return math.fsum(self.timings) / len(self.timings)

    @property
    def stdev(self):
        return (math.fsum((one - self.average) ** 2 for one in self.timings) / len(self.timings)) ** 0.5

    def __str__(self):
        runs, loops = len(self.timings), self.loops
        mean, spread = duration(self.average, self._precision), duration(self.stdev, self._precision)
        counts = f"{runs} run{'s' if runs != 1 else ''}, {loops:,} loop{'s' if loops != 1 else ''} each"
        return f"{mean} ± {spread} per loop (mean ± std. dev. of {counts})"

    def __repr__(self):
        return f"<TimeitResult : {self}>"


def timeit(options, setup, statement, namespace, place):
    """Times a statement; prints what it found unless told to be quiet. `place`: the file and line that it stands in."""
    values = {flag: int(value) for flag, value in re.findall(r"-([nrp])\s*(\d+)", options)}
    flags = set("".join(re.findall(r"-([tcqov]+)", options)))
    inner = _compiled(setup, statement, namespace, *place)
    timer = time.process_time if "c" in flags else time.perf_counter
    loops = values.get("n") or _enough_loops(inner, timer)
    repeat = values.get("r", 7)
    result = TimeitResult(loops, repeat, [_measured(inner, loops, timer) for _ in range(repeat)], values.get("p", 3))
    if "q" not in flags:
        if result.worst > 4 * result.best and result.best > 0 and result.worst > 1e-6:
            times = result.worst / result.best
            print(f"The slowest run took {times:0.2f} times longer than the fastest. This could mean that", end=" ")
            print("an intermediate result is being cached.")
        print(result)
    return result if "o" in flags else None


def _compiled(setup, statement, namespace, file, line):
    """One function with the setup and a loop around the statement, so that no call is measured along."""
    tree = ast.parse("def inner(loops, timer):\n begin = timer()\n for _ in loops: pass\n return timer() - begin")
    function = tree.body[0]
    body = ast.Module(ast.parse(translate(statement), file).body, [])
    function.body[1].body = ast.increment_lineno(body, line - 1).body or function.body[1].body
    function.body[:0] = ast.parse(translate(setup), file).body
    given = dict(namespace)
    exec(compile(tree, file, "exec", dont_inherit=True), given)
    return given["inner"]


def _measured(inner, loops, timer):
    was_on = gc.isenabled()
    gc.disable()
    try:
        return inner(itertools.repeat(None, loops), timer)
    finally:
        if was_on:
            gc.enable()


def _enough_loops(inner, timer):
    for power in range(10):
        if _measured(inner, 10**power, timer) >= _LONG_ENOUGH_SECONDS:
            break
    return 10**power
