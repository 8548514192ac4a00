"""The analysis of a cell: one source in, names and digest and module facts out, as plain data.

Nothing is ever executed, and no source makes this fail: what cannot be parsed is answered with its error and with
empty lists, so that the cell drops out of the graph until it parses.
"""

import ast
import builtins
import gc
import symtable
import warnings

from svc_engine.bodies import bodies_by_place
from svc_engine.defines import walk
from svc_engine.modules import module_facts, module_source
from svc_engine.names import in_sequence
from svc_engine.normalise import digest_of_text, digest_of_tree

# `site` adds the second row to the builtins of every cell; this process runs without it.
BUILTINS = frozenset(dir(builtins)) | {"copyright", "credits", "exit", "help", "license", "quit"}
BUILTINS |= {"__doc__", "__file__", "__name__", "__package__"}

gc.set_threshold(100_000)  # trees have no cycles: looking for some costs a third of the time
warnings.simplefilter("ignore")  # an invalid escape in a cell is the cell's business when it runs


def analyse(source):
    try:
        tree = ast.parse(source)
        table = symtable.symtable(source, "<cell>", "exec")
        return _analyse_tree(tree, table)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        return {**_nothing(source), "error": _describe(problem)}


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
    return {
        "defines": _shared(defines),
        "references": _shared(references - BUILTINS),
        "mutationDefines": _shared(mutations & defines),
        "builtinReferences": _shared(references & BUILTINS),
        "sourceDigest": digest_of_tree(tree),
        "module": module_facts(tree, walks, bodies, BUILTINS),
        "error": None,
    }


def slice_of(source):
    tree = ast.parse(source)
    return module_source(source, tree, [walk(statement, False) for statement in tree.body])


def _shared(names):
    """Names with a leading underscore are private to their cell."""
    return sorted(name for name in names if name[0] != "_")


def postpones_annotations(tree):
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            if any(alias.name == "annotations" for alias in statement.names):
                return True
    return False


def _nothing(source):
    return {
        "defines": [],
        "references": [],
        "mutationDefines": [],
        "builtinReferences": [],
        "sourceDigest": digest_of_text(source),
        "module": None,
    }


def _describe(problem):
    """Lines and columns count from 1; null where Python does not say."""
    if isinstance(problem, SyntaxError):
        return {"message": f"Syntax error: {problem.msg}", "line": problem.lineno, "column": problem.offset}
    if isinstance(problem, (RecursionError, MemoryError)):
        return {"message": "Syntax error: the source is nested too deeply", "line": None, "column": None}
    return {"message": f"Syntax error: {problem}", "line": None, "column": None}


OPERATIONS = {
    "analyse": lambda params: analyse(params["source"]),
    "analyse_many": lambda params: [analyse(source) for source in params["sources"]],
    "module_source": lambda params: slice_of(params["source"]),
}
