"""What the bodies of functions and classes want from the module, as CPython's own symbol table resolves it.

The order of statements does not matter here: a body runs when the whole cell has run, as far as anybody can tell.
"""

import ast

from svc_engine.defines import class_body_names

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class BodyNames:
    __slots__ = ("reads", "rewrites", "writes")

    def __init__(self):
        self.reads = set()
        self.writes = set()  # declared `global` and bound
        self.rewrites = set()  # declared `global`, bound and read in the same scope


def bodies_by_place(tree, table, postponed):
    """For each scope directly below the module: ((its name, its line), the module-level names used in it)."""
    statements = {(getattr(node, "name", None), node.lineno): node for node in tree.body}
    for child in table.get_children():
        place = (child.get_name(), child.get_lineno())
        yield place, _body_names(child, statements.get(place, tree), postponed)


def _body_names(outermost, node, postponed):
    found = BodyNames()
    pending = [(outermost, False)]
    while pending:
        table, in_function = pending.pop()
        kind = table.get_type()
        if postponed and kind == "annotation":
            continue  # a scope since 3.14, never entered
        rebinds = False
        for symbol in table.get_symbols():
            if symbol.is_global():
                _note_global(found, symbol, node)
            elif kind == "class" and symbol.is_assigned() and symbol.is_referenced():
                rebinds = True
        if rebinds and in_function:
            found.reads |= _read_by_inner_classes(node, postponed)
        if table.has_children():
            pending.extend((child, in_function or kind == "function") for child in table.get_children())
    return found


def _note_global(found, symbol, node):
    name = symbol.get_name()
    written = symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported())
    read = symbol.is_referenced() or (written and name in _read_by_comprehensions(node))
    if read:
        found.reads.add(name)
    if written:
        found.writes.add(name)
        if read:
            found.rewrites.add(name)


def _read_by_comprehensions(node):
    """From 3.12 on comprehensions are inlined, and the table forgets their reads of names the scope also binds."""
    comprehensions = (part for part in ast.walk(node) if isinstance(part, COMPREHENSIONS))
    names = (part for inner in comprehensions for part in ast.walk(inner) if isinstance(part, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def _read_by_inner_classes(node, postponed):
    """`z` in a class body that says `z = z` inside a function: local to the table, yet read from the module."""
    functions = (part for part in ast.walk(node) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)))
    classes = {part for function in functions for part in ast.walk(function) if isinstance(part, ast.ClassDef)}
    return {name for inner in classes for name in _read_and_rebound(inner, postponed)}


def _read_and_rebound(node, postponed):
    inside = class_body_names(node, postponed)
    declarations = (part for part in ast.walk(node) if isinstance(part, (ast.Global, ast.Nonlocal)))
    declared = {name for declaration in declarations for name in declaration.names}
    return (inside.read_first & inside.defines) - declared
