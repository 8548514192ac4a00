"""Compiles and runs the source of one cell: line numbers stay true, and the value of a last expression is kept."""

import ast
import builtins
import re
import sys
import types

from svc_runtime import code_lines, displays, event_loop
from svc_runtime.errors import cell_file, remember_source
from svc_runtime.silence import is_silenced, silence
from svc_runtime.sql_calls import TAKE_SQL

_VALUE = "__svc_value__"
_SHOW = "__svc_show__"
_NOTE = "__svc_note__"
_PARSE = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class Cell:
    def __init__(self, cell_id, source, shows="last_expr", note=None):
        """`shows`: which results, in IPython's words. `note` is called with each class and function that the cell defines."""
        file = cell_file(cell_id)
        remember_source(file, source)
        tree = parse(source, file)
        self._shows_all = shows == "all"
        if self._shows_all:
            _show_values(tree)
        elif shows == "last_expr_or_assign":
            _end_with_assigned(tree)
        if shows != "none":
            _keep_last_value(tree)
        self._note = note
        if note is not None:
            _note_definitions(tree)
        self._code = compile(tree, file, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)

    def names(self):
        """Every name the code mentions, in functions too; None when it may reach names that it does not mention."""
        return _names_of(self._code)

    def lines_from(self, lines):
        """For each of the lines, the first from there on that does something."""
        return code_lines.first_from(lines, code_lines.that_do(self._code))

    def run(self, namespace):
        """Run, and give back the value of the last expression; None when the cell does not end with one."""
        try:
            return self._run(namespace)
        except BaseException:
            _ended(None)
            raise

    def _run(self, namespace):
        if self._shows_all:
            namespace[_SHOW] = displays.display
        if self._note is not None:
            namespace[_NOTE] = self._note
        if event_loop.wants(self._code):
            event_loop.run(self._code, namespace)
        else:
            exec(self._code, namespace)
        return _ended(namespace.pop(_VALUE, None))


class Until:
    """The condition that ends a loop: an expression over what the cell left behind. Without one it never holds."""

    def __init__(self, expression):
        self._code = None if expression is None else compile(expression, "<until>", "eval", dont_inherit=True)

    def and_names_of(self, cell):
        names = cell.names()
        own = set() if self._code is None else _names_of(self._code)
        return None if names is None or own is None else names | own

    def holds(self, namespace):
        return self._code is not None and bool(eval(self._code, namespace))


def _names_of(code):
    codes = list(code_lines.with_inner(code))
    names = {name for each in codes for name in each.co_names}
    if names & TAKE_SQL:
        texts = (text for each in codes for text in each.co_consts if isinstance(text, str))
        names = names.union(*(re.findall(r"\w+", text) for text in texts))
    return None if names & {"globals", "locals", "vars", "eval", "exec", "dir", "__main__", "_getframe"} else names


def parse(source, file):
    """The tree of a source; one that is no Python may be IPython's, and is read as what it means."""
    try:
        tree = _parse(source, file)
    except SyntaxError:
        from svc_runtime import ipython_syntax

        if not ipython_syntax.has_special(source):
            raise
        try:
            source = ipython_syntax.translate(source)
        except ipython_syntax.UnknownMagic as unknown:
            unknown.filename = file
            raise unknown from None
        tree = _translated(source, file)
    silence(tree, source)
    return tree


def _translated(source, file):
    try:
        return _parse(source, file)
    except SyntaxError as problem:
        problem.text = None  # the line as it was written is known under the name of the file
        raise problem from None


def _parse(source, file):
    return compile(source, file, "exec", flags=_PARSE, dont_inherit=True)  # `ast.parse` would show up in tracebacks


def _ended(value):
    """What a magic of the whole cell does at its end; gives what is left to show."""
    shell = sys.modules.get("svc_runtime.shell")
    return value if shell is None else shell.shell.cell_ends(value)


def fresh_namespace():
    """The namespace of a new `__main__`: what a cell defines is then pickled by value, and belongs to nobody else."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.__dict__["__builtins__"] = builtins
    return module.__dict__


def _keep_last_value(tree):
    # One code object for the whole cell, so that `from __future__` holds in its last line as well.
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        target = ast.copy_location(ast.Name(_VALUE, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)


def _show_values(tree):
    """Every expression whose value is thrown away, in loops too: all but those of functions and classes, and the last."""
    if is_silenced(tree):
        return
    last = tree.body[-1] if tree.body else None
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and node is not last:
            shown = ast.Call(ast.copy_location(ast.Name(_SHOW, ast.Load()), node.value), [node.value], [])
            node.value = ast.copy_location(shown, node.value)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            waiting.extend(ast.iter_child_nodes(node))


def _end_with_assigned(tree):
    last = tree.body[-1] if tree.body else None
    target = last.targets[-1] if isinstance(last, ast.Assign) else getattr(last, "target", None)
    if isinstance(last, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and isinstance(target, ast.Name) and last.value:
        name = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        tree.body.append(ast.copy_location(ast.Expr(name), last))


def _note_definitions(tree):
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            place = node.decorator_list[0] if node.decorator_list else node
            node.decorator_list.insert(0, ast.copy_location(ast.Name(_NOTE, ast.Load()), place))
