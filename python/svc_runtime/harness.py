"""One run of one cell: inputs in, code run, values out, one result. Whatever happens becomes a result; nothing is run
twice, because a cell may have effects outside.
"""

import atexit
import builtins
import contextlib
import json
import os
import sys
import sysconfig
import time
import types

from svc_runtime import absent, ambient, asking, celltests, comms, debugger, displays, errors, event_loop, harmless
from svc_runtime import ipython_display, ipython_stand_in, lent_lines, mutation
from svc_runtime.cell import Cell, Until, fresh_namespace
from svc_runtime.chance import named_like
from svc_runtime.channel import RESULT
from svc_runtime.effects import observer
from svc_runtime.package_use import package_use
from svc_runtime.settings import settings
from svc_runtime.shelf import shelf
from svc_runtime.values import cell_code, choice, databases, modules, remade, rich

# The exit status of a process that could not give its result because the cell had closed the pipe for it.
CUT_OFF_STATUS = 113
# So many values are kept for readers to come; each takes a file of its own.
MAX_UNREAD = 200
MAX_TOLD_ITEMS = 8
BUILD_ENV = f"{sys.implementation.name}-{'.'.join(map(str, sys.version_info[:2]))}-{sysconfig.get_platform()}"
# Modules that a cell imports find them too, as in Jupyter.
builtins.input = named_like(asking.ask_line, input)
builtins.display, builtins.get_ipython = ipython_display.display, ipython_stand_in.get_ipython
# A cell may do to the builtins what it likes; what follows it needs them whole.
_BUILTINS = dict(builtins.__dict__)


class InputUnreadable(Exception):
    __module__ = "builtins"  # named in tracebacks without the place where we keep it


def carry_out(job, channel, learner):
    """Run, send the result, and give it back."""
    failures = []
    with learner:
        result = _attempt(job, channel, failures)
    _end_if_forked(channel)
    facts = {"build_env": BUILD_ENV, "loaded": learner.learned, "peak_bytes": harmless.peak_bytes()}
    if failures and _is_kept(job, failures[0]):
        flush_streams()
        channel.send({"failed": {**result, **facts}})
        debugger.look_into(failures[0])
    flush_streams()
    try:
        channel.send({**result, **facts}, RESULT, more=atexit._ncallbacks() == 0)
    except (TypeError, ValueError) as problem:
        result = _failed(errors.plain("ResultUnreadable", str(problem)), [])
        channel.send({**result, **facts}, RESULT)
    return result


def _is_kept(job, problem):
    """Whether somebody may look into the failure in this process before it goes."""
    most = job["keeps_failure"]
    if most == 0 or not asking.desk.can_ask() or not isinstance(problem, Exception) or not debugger.has_frames(problem):
        return False
    taken = harmless.resident_bytes()
    if taken > most:
        limit = "SVC_NOTEBOOK_KEEP_FAILURE_MEMORY_MB"
        print(f"The process of this failure takes {taken >> 20} MiB and was not kept ({limit}: {most >> 20}).", file=sys.stderr)
    return taken <= most


def _end_if_forked(channel):
    """A process that the cell forked may come back here too; it has nothing to store and nothing to say."""
    if not channel.is_owner:
        flush_streams()
        os._exit(0)


def enter(job):
    """Make this process the cell's: its folder and environment. Gives the namespace, without inputs."""
    os.environ.update(job["env"])
    os.makedirs(job["work_dir"], exist_ok=True)
    os.chdir(job["work_dir"])
    sys.path.insert(0, job["work_dir"])
    sys.argv[:] = [""]
    lent_lines.begin(job.get("lenders", {}))
    namespace = fresh_namespace()
    namespace.update(display=ipython_display.display, Markdown=displays.Markdown)
    if job.get("ambient") is not None:
        namespace["svc"] = ambient.Client(**job["ambient"])
    return namespace


def read_input(name, spec):
    try:
        return choice.read(name, spec)
    except Exception as problem:
        reason = f"{type(problem).__name__}: {problem}"
        raise InputUnreadable(f"The input '{name}' could not be read: {reason}") from problem


def _read_inputs(wanted, others):
    """`others`: what the cell does not mention. A function may need it; that is mentioned in the function's own cell alone."""
    cell_code.being_read.update({name: Unread() for name in (*wanted, *others)})
    try:
        found = {name: read_input(name, spec) for name, spec in wanted.items()}
        if cell_code.asking:
            found.update((name, read_input(name, spec)) for name, spec in others.items())
    finally:
        cell_code.being_read.clear()
    return found


class Unread:
    """In place of an input that is still to be read. Code of other cells is run meanwhile; what its decorators put into the input
    (`handlers[name] = function`) is in there already."""

    def __setitem__(self, place, value):
        pass

    def append(self, value):
        pass

    add = register = update = extend = append


def flush_streams():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except BaseException:
            pass  # the cell closed or replaced it


def rehearse():
    """Go once through what every run goes through, so that the first one finds its code and its memory at hand.

    A forked process shares its parent's memory and copies each page when it first writes to it, reference counts
    included: better while it waits than while somebody waits for it.
    """
    cell = Cell("rehearsal", "value = 1 + 1\nvalue")
    cell.names()
    value = [cell.run({})]
    mutation.fingerprint(value)
    json.dumps([choice.preview_variable("value", value, {}, "pickle"), choice.rehearse(value), errors.plain("", "")])


def _attempt(job, channel, failures):
    comms.desk.begin(job["cell_id"])
    shown = displays.begin(lambda value, stem: choice.store_display(value, stem, job["output_dir"], job["codec"]))
    try:
        return {"error": None, **_run(job, shown, channel)}
    except BaseException as problem:
        _mend_builtins()
        with contextlib.suppress(BaseException):  # of tasks; the cell has failed with its own
            event_loop.end(is_told=False)
        shown.settle()
        failures.append(problem)
        failed = _failed(errors.describe(problem), shown.records)
        return {**failed, "absent": absent.modules_of(job["source"], problem)}


def _failed(error, records):
    return {"error": error, "variables": {}, "displays": records, "mutation_warnings": []}


def _mend_builtins():
    builtins.__dict__.update(_BUILTINS)


def _run_tests(job, channel):
    cell = Cell(job["cell_id"], job["source"])

    def namespace_of_cell():
        namespace = enter(job)
        settings.begin(job["settings"], job["source"])
        namespace.update((name, read_input(name, spec)) for name, spec in job["inputs"].items())
        cell.run(namespace)
        return namespace

    try:
        tests = celltests.run_tests(job["tests"], job["output_dir"], namespace_of_cell)
    except celltests.PytestMissing:
        tests = None
    _mend_builtins()
    _end_if_forked(channel)
    return {"tests": tests, "variables": {}, "displays": [], "mutation_warnings": []}


def _run(job, shown, channel):
    if job["tests"] is not None:
        return _run_tests(job, channel)
    package_use.begin()
    namespace = enter(job)
    if not job["is_plain"]:
        settings.begin(job["settings"], job["source"])
    cell = Cell(job["cell_id"], job["source"], *([] if job["is_plain"] else [settings.results, settings.code.note]))
    until = Until(job["until"])
    mentioned = until.and_names_of(cell)
    wanted = {name: spec for name, spec in job["inputs"].items() if mentioned is None or name in mentioned}
    to_make = {name: spec for name, spec in wanted.items() if spec["content_type"] == remade.CONTENT_TYPE}
    kept = {name: spec for name, spec in wanted.items() if name not in to_make}
    others = {name: spec for name, spec in job["inputs"].items() if name not in wanted}
    inputs = _read_inputs(kept, others)
    before = {name: (value, mutation.fingerprint(value)) for name, value in inputs.items()}
    began = time.perf_counter()
    with _observed(job, inputs) as effects:
        # What their cells read is read by this one.
        namespace.update({**inputs, **{name: read_input(name, spec) for name, spec in to_make.items()}})
        if not job["is_plain"]:
            settings.enter_code()
        given = dict(namespace)
        figures = displays.open_figures()
        own = errors.cell_file(job["cell_id"])
        debugger.stop_at([*((own, line) for line in cell.lines_from(job["stops_at"])), *lent_lines.to_stop_at()])
        last = cell.run(namespace)
        event_loop.end()
        shown.note_last(last)
        shown.show_new_figures(figures)
        reached = until.holds(namespace)
        committed = databases.settle({*job["wanted"], *to_make}, namespace)
    _mend_builtins()
    _end_if_forked(channel)
    told = {} if job["is_plain"] else {"settings": settings.end()}
    if told and settings.drew_unseeded(told["settings"]):
        effects["entropy"] = True
    if to_make:
        effects["remade"] = sorted(to_make)
    objection = remade.objection(time.perf_counter() - began, effects)
    collected = _collect(job, namespace, given, before, last, shown, objection)
    if told:
        settings.end_code(told["settings"], job["module_slices"])
    collected["mutation_warnings"] += mutation.committed(committed)
    packages = package_use.end(shelf)
    if packages is not None:
        collected["packages"] = packages
    return {"until_reached": reached, "effects": effects, **told, **collected}


@contextlib.contextmanager
def _observed(job, inputs):
    """What a cell touched before it failed is not told: it has no result to belong to."""
    effects = {}
    if job["is_plain"]:  # it touches nothing
        yield effects
        return
    observer.begin(job, inputs.values())
    sys.breakpointhook = debugger.stop_here
    try:
        yield effects
    finally:
        debugger.let_go()
        _mend_builtins()
        effects.update(observer.end())
        if asking.desk.has_asked:
            effects["asked"] = True


def _collect(job, namespace, given, before, last, shown, objection):
    exported = {
        name: value
        for name, value in list(namespace.items())  # a thread of the cell may still add to it
        if not name.startswith("_")
        and (
            name not in given
            or given[name] is not value
            or name in job["mutation_defines"]
            or name in job["wanted"]  # `x = max(x, 3)` may well give the very object that came in
        )
    }
    slices = {name: slice_ for name, slice_ in job["module_slices"].items() if name in exported}
    modules.lend(exported, slices, namespace)
    warnings = mutation.warnings(before, namespace, exported)
    stored = [name for name in exported if job["stores_all"] or name in job["wanted"]]
    room, places = job["keeps_bytes"], MAX_UNREAD
    changed = {warning["var_name"] for warning in warnings}
    left = [(name, value, job["inputs"][name]) for name, (value, _) in before.items() if name not in exported and name not in changed]
    made = {name: value for name, value in exported.items() if name in stored or _is_data(value, namespace)}
    made = {name: value for name, value in made.items() if name not in slices}
    sharing = choice.sharing(made, {*made} if room > 0 else {*stored}, left, job["codec"])

    def record(name, value):
        nonlocal room, places
        place = job["output_dir"], job["codec"]
        more = {"with_others": sharing.get(name), "known": job["known"].get(name)}
        if name in stored:
            is_read = job["remakes"] and name in job["wanted"]
            otherwise = (lambda found: _remade(name, value, job, found, objection)) if is_read else None
            return choice.store_variable(name, value, slices, *place, otherwise=otherwise, **more)
        if room > 0 and places > 0 and (name in slices or _is_data(value, namespace)):
            found = choice.store_variable(name, value, slices, *place, most=room, **more)
            if "file" in found:
                room -= found["bytes"]
                places -= 1
                return found
        return choice.preview_variable(name, value, slices, job["codec"])

    def told(name, value):
        """With a word for what readers could neither be given nor make anew."""
        found = record(name, value)
        if "file" in found or (objection is None and job["remakes"]):
            return found
        kind = remade.kind_of(value) or (_type_name(value).rpartition(".")[2] if name in job["wanted"] else None)
        return found if kind is None else {**found, "unkept": kind}

    variables = {name: told(name, value) for name, value in exported.items()}
    if objection is None and any(found["content_type"] == remade.CONTENT_TYPE for found in variables.values()):
        # What a writer or a cursor works on is made anew with it: they are to find each other.
        worked_on = [name for name in job["wanted"] if name in exported and remade.is_worked_on(exported[name])]
        variables.update({name: remade.store(name, exported[name], job, job["output_dir"], None) for name in worked_on})
    kept = [name for name in exported if "file" in variables[name]]
    shown.display_last(last, _record_of(last, exported, kept, variables))
    shown.settle()
    return {
        "variables": variables,
        "types": {name: _type_name(value) for name, value in exported.items()},
        "items": {
            name: [*map(_type_name, value)]
            for name, value in exported.items()
            if type(value) is tuple and 0 < len(value) <= MAX_TOLD_ITEMS
        },
        "displays": shown.records,
        "mutation_warnings": warnings + mutation.shared(exported, [name for name in stored if name not in sharing]) + mutation.parted(sharing),
    }


def _remade(name, value, job, found, objection):
    """A variable that others read and that cannot be written down. `objection`: why its cell must not be run again."""
    record = remade.store(name, value, job, job["output_dir"], objection)
    if record is not None:
        return record
    why = f"{found['error']}. Whoever reads it cannot make it anew either, since its cell {objection}"
    return {**found, "error": f"{why}: join the cells, or make it in each of them"}


def _type_name(value):
    kind = type(value)
    try:
        return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    except Exception:
        return "object"  # what a class says of itself is up to its metaclass


def _is_data(value, namespace):
    """Code of the cell travels as source, where it can; figures are large, and shown already."""
    owner = value if isinstance(value, (type, types.FunctionType)) else type(value)
    try:
        home = str(getattr(owner, "__module__", ""))
    except Exception:
        return False  # its metaclass does not tell
    return home != namespace["__name__"] and home.partition(".")[0] != "matplotlib"


def _record_of(value, exported, stored, variables):
    """The record under which a displayed value was stored already as a variable that is shown the same way."""
    if value is None or rich.is_formula(value):
        return None
    for name in stored:
        if exported[name] is value and variables[name]["content_type"] in ("arrow/ipc", "json/object"):
            return choice.shown_record(value, variables[name])
    return None
