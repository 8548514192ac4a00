"""Compare the walk over statements with CPython's symbol table, file by file over the standard library.

`--part SEED` takes every fourth file, and leaves out the library's own tests, which are more than half of it.
The table knows no order, so the sets are compared before `analysis.py` puts them in order. Wherever the rules differ
on purpose the difference is computed from the tree and has to explain every name; the rest is printed as JSON.
"""

import ast
import itertools
import json
import os
import sys
import symtable
import sysconfig

sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.setrecursionlimit(8000)

from svc_engine.analysis import postpones_annotations  # noqa: E402 (the path has to be right first)
from svc_engine.bodies import bodies_by_place  # noqa: E402
from svc_engine.defines import walk  # noqa: E402
from svc_engine.names import in_sequence  # noqa: E402

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def compare(source):
    tree = ast.parse(source)
    table = symtable.symtable(source, "<cell>", "exec")
    postponed = postpones_annotations(tree)
    names = in_sequence(walk(statement, postponed) for statement in tree.body)
    bodies = [body for _, body in bodies_by_place(tree, table, postponed)]
    ours_read = names.references.union(*(body.reads for body in bodies))
    ours_bound = names.defines.union(*(body.writes for body in bodies))
    table_read = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    table_bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    for scope in scopes_below(table):
        for symbol in scope.get_symbols():
            if symbol.is_global() and symbol.is_referenced():
                table_read.add(symbol.get_name())
            if symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported()):
                table_bound.add(symbol.get_name())
    rules = rule_differences(tree)
    return {
        "read by us alone": sorted(ours_read - table_read - rules["read by us"]),
        "read by the table alone": sorted(table_read - ours_read - rules["read by the table"]),
        "bound by us alone": sorted(ours_bound - table_bound - names.mutations),
        "bound by the table alone": sorted(table_bound - ours_bound - rules["bound by the table"]),
    }


def scopes_below(table):
    pending = list(table.get_children())
    while pending:
        scope = pending.pop()
        yield scope
        pending.extend(scope.get_children())


def rule_differences(tree):
    """Names for which a rule of ours, or a habit of the table, allows a difference."""
    read_by_us, read_by_table, bound_by_table = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read_by_us.add(node.target.id)  # `x += 1` reads x; the table says it only binds it
        elif isinstance(node, ast.Delete):
            deleted = {target.id for target in node.targets if isinstance(target, ast.Name)}
            read_by_us |= deleted  # `del x` reads x; the table says it binds it
            bound_by_table |= deleted
        elif isinstance(node, ast.ClassDef):
            read_by_us |= names_in(node, ast.Store)  # `z = z` in a class body reads the z of the module
            read_by_us |= {part.name for part in ast.walk(node) if isinstance(part, FUNCTIONS)}
        elif isinstance(node, ast.Assign) and all(isinstance(to, ast.Name) and to.id == "_" for to in node.targets):
            read_by_table |= names_in(node.value, ast.Load)  # `_ = f(x)` is thrown away, and its right side unread
        elif isinstance(node, ast.ImportFrom) and node.module == "__future__":
            bound_by_table |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, COMPREHENSIONS) and sys.version_info >= (3, 12):
            read_by_us |= names_in(node, ast.Load)  # comprehensions are inlined: their targets appear to belong to the
            read_by_table |= names_in(node, ast.Store)  # scope around, and names of that scope appear to be unread
            bound_by_table |= names_in(node, ast.Store)
    return {"read by us": read_by_us, "read by the table": read_by_table, "bound by the table": bound_by_table}


def names_in(node, context):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, context)}


def library_files(skipped):
    for folder, folders, files in os.walk(sysconfig.get_path("stdlib")):
        folders[:] = sorted(name for name in folders if name not in skipped)
        yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))


def main():
    compared, unparsed, disagreements = 0, 0, {}
    files = library_files({"site-packages", "__pycache__"})
    if "--part" in sys.argv:
        files = library_files({"site-packages", "__pycache__", "test", "tests", "idle_test"})
        files = itertools.islice(files, int(sys.argv[sys.argv.index("--part") + 1]) % 4, None, 4)
    for path in files:
        try:
            with open(path, encoding="utf-8") as text:
                found = compare(text.read())
        except (SyntaxError, ValueError):  # written to be wrong, by the tests of the parser and of the codecs
            unparsed += 1
            continue
        compared += 1
        differing = {what: names for what, names in found.items() if names}
        if differing:
            disagreements[path] = differing
    print(json.dumps({"compared": compared, "unparsed": unparsed, "disagreements": disagreements}))


main()
