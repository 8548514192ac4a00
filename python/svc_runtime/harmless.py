"""Tells cells that leave their process as they found it: short, plain code over plain values.

Such a process runs the next cell too, and a fork is saved. Only what is known to be harmless counts: an import, a class, an
attribute that is set, a name from elsewhere, and the process leaves after its cell, as it does after any other.
"""

import ast
import builtins
import os
import resource
import sys

from svc_runtime.values import together

MAX_SOURCE_CHARACTERS = 4000
# Memory that a cell has taken is not given back to the machine for certain.
MAX_GROWTH_BYTES = 32 * 1024 * 1024
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024

_PLAIN_TYPES = (int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, range, slice)
_METHODS = {name for kind in _PLAIN_TYPES for name in dir(kind) if not name.startswith("_")}
_FUNCTIONS = (
    "abs all any bin bool bytes chr complex dict divmod enumerate filter float format frozenset hash hex int isinstance"
    " iter len list map max min next oct ord pow print range repr reversed round set slice sorted str sum tuple zip"
    " ArithmeticError AttributeError Exception IndexError KeyError LookupError OverflowError StopIteration TypeError"
    " ValueError ZeroDivisionError"
).split()
# Names that every cell finds. One that the cell gives to something of its own may still mean what it was before that.
_FOUND = {*dir(builtins), "display", "get_ipython", "Markdown", "svc"} - {*_FUNCTIONS}
_NODES = (
    *(ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Assert, ast.Pass),
    *(ast.For, ast.While, ast.If, ast.Break, ast.Continue, ast.Try, ast.ExceptHandler),
    *(ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Call, ast.keyword, ast.Starred),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.NamedExpr, ast.Constant, ast.Name),
    *(ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
    *(ast.JoinedStr, ast.FormattedValue, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)
_PLAIN_DATA = ("json/object", "json/inline")


class Beginning:
    """What a process was before its first cell, and is to be again before its next."""

    def __init__(self):
        self._environment = dict(os.environ)
        self._path = list(sys.path)
        self._modules = len(sys.modules)
        self._peak = peak_bytes()

    def returns(self):
        """Go back to it; False when that cannot be."""
        if len(sys.modules) != self._modules or peak_bytes() - self._peak > MAX_GROWTH_BYTES:
            return False
        together.forget()
        for name in os.environ.keys() - self._environment.keys():
            del os.environ[name]
        os.environ.update(self._environment)
        sys.path[:] = self._path
        os.chdir(os.sep)  # nobody's folder is held
        return True


def is_plain_job(job):
    """Whether nothing that the job's code could do outlasts it, if it ends without an error."""
    return (
        job["tests"] is None
        and job["until"] is None
        and not job["stops_at"]
        and "results" not in job["settings"]  # which of them are shown
        and all(spec["content_type"] in _PLAIN_DATA for spec in job["inputs"].values())
        and len(job["source"]) <= MAX_SOURCE_CHARACTERS
        and is_plain_code(job["source"], job["inputs"])
    )


def is_plain_result(result):
    records = [*result["variables"].values(), *result["displays"]]
    return result["error"] is None and all(record["content_type"] in _PLAIN_DATA for record in records)


def is_plain_code(source, inputs):
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    known = {*_FUNCTIONS, *inputs}
    for node in nodes:
        if isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ExceptHandler)):
            known.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    return all(_is_plain(node, known) for node in nodes)


def _is_plain(node, known):
    if isinstance(node, ast.Name):
        return node.id in known and node.id not in _FOUND and not node.id.startswith("__")
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Load) and node.attr in _METHODS
    return isinstance(node, _NODES)


def peak_bytes():
    """What this process took at most; one that was forked began with what its parent shares with it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT


def resident_bytes():
    """What this process takes now; what it took at most where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return peak_bytes()
