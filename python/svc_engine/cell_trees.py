"""Cells of an imported notebook as trees. Many rooms look at each cell, so each is parsed and walked through once; whoever looks
changes nothing. What is no Python is an empty tree.
"""

import ast
import functools

from svc_engine.magics import plain
from svc_engine.walking import nodes_within, run_here


class CellTree:
    def __init__(self, tree):
        self.tree = tree

    @property
    def body(self):
        return self.tree.body

    @functools.cached_property
    def nodes(self):
        """Every node."""
        return list(nodes_within(self.tree))

    @functools.cached_property
    def run_here(self):
        """Every node but those in the bodies of functions and classes, which run later if ever."""
        return list(run_here(self.tree))


@functools.cache
def cell_tree(source):
    try:
        return CellTree(ast.parse(plain(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return CellTree(ast.Module([], []))


@functools.cache
def cell_names(source):
    """The analysis of a cell."""
    from svc_engine.analysis import analyse

    return analyse(source)


def forget_cells():
    """An import is over."""
    cell_tree.cache_clear()
    cell_names.cache_clear()
    plain.cache_clear()


def with_lines_above(source, tree, added):
    """At the beginning, where the value of a last expression stays the last; only imports from the future come before."""
    first = next(node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"))
    row = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))]) - 1
    lines = source.split("\n")
    row += lines[row].startswith("%%")
    return "\n".join([*lines[:row], *added, *lines[row:]])
