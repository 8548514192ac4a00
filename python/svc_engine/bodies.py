"""What the bodies of functions and classes want from the module, as CPython's own symbol table resolves it.

The order of statements does not matter here: a body runs when the whole cell has run, as far as anybody can tell.
"""

import ast

from svc_engine.defines import class_body_names


class BodyNames:
    __slots__ = ("reads", "rewrites", "writes")

    def __init__(self):
        self.reads = set()
        self.writes = set()  # declared `global` and bound
        self.rewrites = set()  # declared `global`, bound and read in the same scope


def body_names(tables, tree, postponed):
    """The module-level names used in `tables` and in every scope below them."""
    found = BodyNames()
    pending = [(table, False) for table in tables]
    rebound_in_class = False
    while pending:
        table, in_function = pending.pop()
        kind = table.get_type()
        for symbol in table.get_symbols():
            if symbol.is_global():
                _note_global(found, symbol)
            elif in_function and kind == "class" and symbol.is_assigned() and symbol.is_referenced():
                rebound_in_class = True
        if table.has_children():
            pending.extend((child, in_function or kind == "function") for child in table.get_children())
    if rebound_in_class:
        found.reads |= _read_by_inner_classes(tree, postponed)
    return found


def _note_global(found, symbol):
    name = symbol.get_name()
    if symbol.is_referenced():
        found.reads.add(name)
    if symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported()):
        found.writes.add(name)
        if symbol.is_referenced():
            found.rewrites.add(name)


def _read_by_inner_classes(tree, postponed):
    """`z` in a class body that says `z = z` inside a function: local to the table, yet read from the module."""
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    classes = {node for function in functions for node in ast.walk(function) if isinstance(node, ast.ClassDef)}
    return {name for node in classes for name in _read_and_rebound(node, postponed)}


def _read_and_rebound(node, postponed):
    inside = class_body_names(node, postponed)
    declarations = (part for part in ast.walk(node) if isinstance(part, (ast.Global, ast.Nonlocal)))
    declared = {name for declaration in declarations for name in declaration.names}
    return (inside.read_first & inside.defines) - declared
