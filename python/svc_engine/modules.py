"""What a cell can lend to others as source: its functions, classes and constants, and what each of them needs.

These are facts about one cell. Whether a need can be met, and who asks for an export, only the whole notebook knows:
the plan is made there.
"""

import ast

from svc_engine.bodies import body_names
from svc_engine.slices import literal_targets, slice_module, walk

KINDS = {ast.AsyncFunctionDef: "async function", ast.ClassDef: "class", ast.FunctionDef: "function"}


def module_facts(tree, table, postponed, builtin_names):
    """None for a cell without a function, class or lambda at its top level: its constants are ordinary values."""
    lambdas = _lambda_names(tree)
    if not lambdas and not any(type(statement) in KINDS for statement in tree.body):
        return None
    kept, dropped = slice_module(tree)
    star = _last_star_import(tree)
    # A star import may bind anything, so what stands above it, and what is built in, may mean something else below.
    above = set(tree.body[: star + 1])
    doubtful = [statement for statement in kept if statement in above]
    resolved = walk(statement for statement in kept if statement not in above).defines
    if star < 0:
        resolved |= builtin_names
    changed = walk(dropped).defines | walk(doubtful).defines
    needs = _needs(kept, tree, table, postponed)
    return {
        "exports": [
            {"name": name, "kind": kind, "needs": sorted(_reach(name, needs) - resolved), "changed": name in changed}
            for name, kind in sorted(_exports(kept).items())
        ],
        "loadNeeds": sorted(walk(kept, postponed).references - resolved),
        "lambdas": sorted(lambdas),
        "starImport": star >= 0,
        "complete": not dropped,
    }


def module_source(source):
    """The text of the module: the cell's own, byte for byte, when nothing had to be left out."""
    kept, dropped = slice_module(ast.parse(source))
    return ast.unparse(ast.Module(kept, [])) if dropped else source


def _exports(kept):
    exports = {}
    for statement in kept:
        kind = KINDS.get(type(statement))
        bound = [statement.name] if kind else literal_targets(statement)
        exports.update({name: kind or "constant" for name in bound if name[0] != "_"})
    return exports


def _lambda_names(tree):
    names = set()
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(statement.value, ast.Lambda):
            names |= walk([statement]).pure_defines
    return names


def _last_star_import(tree):
    """The place of the last top-level statement that holds one; -1 without."""
    for place in reversed(range(len(tree.body))):
        if type(tree.body[place]) not in KINDS and any(map(_is_star_import, ast.walk(tree.body[place]))):
            return place
    return -1


def _is_star_import(node):
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _needs(kept, tree, table, postponed):
    """For each function and class of the slice: every module-level name that it reads, when defined or when called."""
    tables = {}
    for child in table.get_children():
        tables.setdefault((child.get_name(), child.get_lineno()), []).append(child)
    needs = {}
    for statement in kept:
        if type(statement) in KINDS:
            scopes = tables.get((statement.name, statement.lineno), [])
            reads = walk([statement], postponed).references | body_names(scopes, tree, postponed).reads
            needs[statement.name] = needs.get(statement.name, set()) | reads
    return needs


def _reach(name, needs):
    """What `name` needs, together with what the functions and classes that it uses need in turn."""
    reached = set()
    pending = [name]
    while pending:
        new = needs.get(pending.pop(), set()) - reached
        reached |= new
        pending.extend(new)
    return reached
