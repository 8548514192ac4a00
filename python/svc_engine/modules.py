"""What a cell can lend to others as source: its functions, classes and constants, and what each of them needs.

These are facts about one cell. Whether a need can be met, and who asks for an export, only the whole notebook knows:
the plan is made there.
"""

import ast

from svc_engine.code_changes import changed_around
from svc_engine.names import in_sequence
from svc_engine.slices import is_module, literal_targets, slice_module

KINDS = {ast.AsyncFunctionDef: "async function", ast.ClassDef: "class", ast.FunctionDef: "function"}


def module_facts(tree, walks, bodies, builtin_names):
    """None for a cell without a function, class or lambda at its top level: its constants are ordinary values."""
    lambdas = _lambda_names(tree, walks)
    if not lambdas and not any(type(statement) in KINDS for statement in tree.body):
        return None
    kept, dropped = slice_module(tree, walks)
    star = max((statement.lineno for statement, names in dropped if names.imports_star), default=0)
    # A star import may bind anything: what stands above it, or is built in, may mean something else below.
    above = in_sequence(names for statement, names in kept if statement.lineno <= star)
    below = in_sequence(names for statement, names in kept if statement.lineno > star)
    resolved = below.defines if star else below.defines | builtin_names
    others = in_sequence(names for _, names in dropped)
    # `step.calls = 0`: what code keeps is handed on beside its source (`svc_runtime/code_state.py`).
    changed = (others.defines - (others.mutations - others.pure_defines)) | above.defines
    needs = _needs(kept, bodies)
    filled = {statement.name: changed_around(statement) for statement, _ in kept if type(statement) in KINDS}

    def export(name, kind):
        reached = _reach(name, needs)
        fills = {one for code in {name, *reached} for one in filled.get(code, ())}
        facts = {"needs": sorted(reached - resolved), "fills": sorted(fills - resolved)}
        return {"name": name, "kind": kind, **facts, "changed": name in changed}

    return {
        "exports": [export(name, kind) for name, kind in sorted(_exports(kept).items())],
        "loadNeeds": sorted((above.references | below.references) - resolved),
        "lambdas": sorted(lambdas),
        "starImport": star > 0,
        "complete": is_module(tree),
    }


def module_source(source, tree, walks):
    """The text of the module: the cell's own, byte for byte, when nothing had to be left out."""
    kept, dropped = slice_module(tree, walks)
    return ast.unparse(ast.Module([statement for statement, _ in kept], [])) if dropped else source


def _exports(kept):
    exports = {}
    for statement, _ in kept:
        kind = KINDS.get(type(statement))
        bound = [statement.name] if kind else literal_targets(statement)
        exports.update({name: kind or "constant" for name in bound if name[0] != "_"})
    return exports


def _lambda_names(tree, walks):
    bound = set()
    for statement, names in zip(tree.body, walks):
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(statement.value, ast.Lambda):
            bound |= names.pure_defines
    return bound


def _needs(kept, bodies):
    """For each function and class of the slice: every module-level name that it reads, when defined or when called."""
    reads_at = {}
    for place, body in bodies:
        reads_at.setdefault(place, set()).update(body.reads)
    needs = {}
    for statement, names in kept:
        if type(statement) in KINDS:
            reads = needs.setdefault(statement.name, set())
            reads.update(names.references, reads_at.get((statement.name, statement.lineno), ()))
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
