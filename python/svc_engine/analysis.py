"""The analysis of a cell: one source in, names and digest and module facts out, as plain data.

Nothing is ever executed, and no source makes this fail: what cannot be parsed is answered with its error and with
empty lists, so that the cell drops out of the graph until it parses.
"""

import ast
import builtins
import gc
import symtable
import sys
import warnings

from svc_engine.bodies import bodies_by_place
from svc_engine.defines import walk
from svc_engine.modules import module_facts, module_source
from svc_engine.names import in_sequence
from svc_engine.normalise import digest_of_text, digest_of_tree
from svc_engine.slices import fills_literals
from svc_engine.widgets import read_widgets
from svc_runtime.silence import silence

# `site` adds the second row to the builtins of every cell; this process runs without it.
BUILTINS = frozenset(dir(builtins)) | {"copyright", "credits", "exit", "help", "license", "quit"}
BUILTINS |= {"__doc__", "__file__", "__name__", "__package__", "get_ipython"}

gc.set_threshold(100_000)  # trees have no cycles: looking for some costs a third of the time
warnings.simplefilter("ignore")  # an invalid escape in a cell is the cell's business when it runs


def analyse(source):
    try:
        text, tree, table = _parse(source)
        silence(tree, text)
        return _analyse_tree(tree, table)
    except SyntaxError as problem:
        words = "Syntax error: " if type(problem) in (SyntaxError, IndentationError, TabError) else ""
        return _failed(source, f"{words}{problem.msg}", problem.lineno, problem.offset)
    except (RecursionError, MemoryError):
        return _failed(source, "Syntax error: the source is nested too deeply")
    except Exception as problem:  # a mistake of ours must not cost the other cells of the notebook their answer
        sys.excepthook(type(problem), problem, problem.__traceback__)  # to the log; `traceback` would cost 3 ms
        return _failed(source, f"Analysis failed: {type(problem).__name__}: {problem}")


def _parse(source):
    """The source as plain Python, its tree and its names; what is IPython's is read as what it means."""
    try:
        return source, *_parse_python(source)
    except SyntaxError as problem:
        from svc_runtime import ipython_syntax

        text = ipython_syntax.translate(source) if ipython_syntax.has_special(source) else source
        if text == source:
            raise problem from None
    return text, *_parse_python(text)


def _parse_python(source):
    try:
        return ast.parse(source), symtable.symtable(source, "<cell>", "exec")
    except ValueError as problem:  # NUL characters and lone surrogates
        raise SyntaxError(str(problem)) from problem


def _analyse_tree(tree, table):
    postponed = postpones_annotations(tree)
    walks = [walk(statement, postponed) for statement in tree.body]
    bodies = list(bodies_by_place(tree, table, postponed))
    names = in_sequence(walks)
    body_reads = {name for _, body in bodies for name in body.reads}
    body_writes = {name for _, body in bodies for name in body.writes}
    body_rewrites = {name for _, body in bodies for name in body.rewrites}

    defines = names.defines | body_writes
    mutations = (names.mutations | body_rewrites) - names.pure_defines
    settled = defines - mutations - names.read_first  # bound here before anything reads them
    references = (names.references | body_reads) - settled
    module = module_facts(tree, walks, bodies, BUILTINS)
    return {
        "defines": _shared(defines),
        "references": _shared(references - BUILTINS),
        "mutationDefines": _shared(mutations & defines),
        "modules": _shared(names.modules),
        "builtinReferences": _shared(references & BUILTINS),
        "discardedReads": _shared(names.discarded - references),
        "handedReads": _handed(tree) if references else [],
        "sourceDigest": digest_of_tree(tree, means_more=module is not None and fills_literals(tree, walks)),
        "module": module,
        "error": None,
    }


def slice_of(source):
    """The text that other cells re-execute to use what this one exports."""
    text, tree, _ = _parse(source)
    return module_source(text, tree, [walk(statement, False) for statement in tree.body])


def render_prompt(params):
    """Loaded when it is first asked for: few notebooks have prompts."""
    from svc_engine.templates import render

    return render(params)


def _foreign(conversion, params):
    """Notebooks of other programs; loaded when one is brought in."""
    from svc_engine import cell_trees, ipynb

    try:
        return getattr(ipynb, conversion)(params)
    finally:
        cell_trees.forget_cells()


def _explicit(question, params):
    """What cells mean by a name; loaded when somebody asks."""
    from svc_engine import cell_trees
    from svc_engine.explicit import ambiguous, plan, renaming

    answers = {"ambiguous": ambiguous.ambiguous_names, "plan": plan.make_explicit, "places": renaming.places, "rename": renaming.rename}
    try:
        return answers[question](params)
    finally:
        cell_trees.forget_cells()


def _handed(tree):
    """Names that are read for more than calling them, and so may be kept in something."""
    nodes = list(ast.walk(tree))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return _shared({node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called})


def _shared(names):
    """Names with a leading underscore are private to their cell."""
    return sorted(name for name in names if name[0] != "_")


def postpones_annotations(tree):
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            if any(alias.name == "annotations" for alias in statement.names):
                return True
    return False


def _failed(source, message, line=None, column=None):
    """Lines and columns count from 1; None where Python does not say."""
    return {
        "defines": [],
        "references": [],
        "mutationDefines": [],
        "modules": [],
        "builtinReferences": [],
        "discardedReads": [],
        "handedReads": [],
        "sourceDigest": digest_of_text(source),
        "module": None,
        "error": {"message": message, "line": line, "column": column},
    }


OPERATIONS = {
    "analyse": lambda params: analyse(params["source"]),
    "ambiguous_names": lambda params: _explicit("ambiguous", params),
    "analyse_many": lambda params: [analyse(source) for source in params["sources"]],
    "make_explicit": lambda params: _explicit("plan", params),
    "name_places": lambda params: _explicit("places", params),
    "rename_name": lambda params: _explicit("rename", params),
    "module_source": lambda params: slice_of(params["source"]),
    "convert_ipynb": lambda params: _foreign("convert_ipynb", params),
    "convert_script": lambda params: _foreign("convert_script", params),
    "render_prompt": render_prompt,
    "widgets": lambda params: [read_widgets(source) for source in params["sources"]],
}
