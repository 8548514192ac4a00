"""A function reads names of the notebook when it is called: `show_cart()` shows what has been put into `cart` since. Here it has what its
names meant where it was defined. So a cell that calls it, after something was changed in place, hands it what that is now:
`show_cart.__globals__.update(cart=cart)`. In Jupyter the line changes nothing.
"""

import ast

from svc_engine.code_changes import FUNCTIONS, changed_around
from svc_engine.walking import nodes_within

MARK = "# svc import: as it is now"


class SeenByFunctions:
    def __init__(self):
        self._functions = {}  # name -> names around it that it reads
        self._binding = set()  # functions that bind names around them: these have all names from their caller anyway
        self._methods = {}  # name of a method -> the functions that it may be
        self._changed = {}  # name -> those of its functions that were defined before it was last changed in place

    def lines(self, nodes, changed, stored, data):
        """`changed`: what the cell changes in place, `stored`: what it binds, `data`: names that cells above gave to values."""
        asked = [name for node in nodes for name in self._asked(node)]
        found = []
        for function in self._reached(asked, stored):
            names = [
                name
                for name in self._functions[function]
                if function not in self._binding and name in data and name not in stored and (name in changed or function in self._changed.get(name, ()))
            ]
            if names:
                found.append(f"{function}.__globals__.update({', '.join(f'{name}={name}' for name in names)})")
        return found

    def _asked(self, node):
        """Functions by their names, methods by all classes that have one of the name."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return (node.id, f"{node.id}.__init__")
        return self._methods.get(node.attr, ()) if isinstance(node, ast.Attribute) else ()

    def _reached(self, asked, stored):
        """The functions that these names call, one through the other."""
        found, waiting = [], list(reversed(asked))
        while waiting:
            name = waiting.pop()
            if name in self._functions and name not in found and name.partition(".")[0] not in stored:
                found.append(name)
                waiting.extend(reversed(self._functions[name]))
        return found

    def note(self, nodes, changed, stored):
        """After the lines of a cell were made."""
        for name in changed:
            self._changed[name] = set(self._functions)
        # Given to something new: which one a function means is said by the rule for names that are written twice.
        for name in stored:
            self._changed.pop(name, None)
            for one in [one for one in self._functions if one.partition(".")[0] == name]:
                del self._functions[one]
        for node in nodes:
            if isinstance(node, FUNCTIONS):
                self._note_function(node.name, node)
            elif isinstance(node, ast.ClassDef):
                for method in (one for one in node.body if isinstance(one, FUNCTIONS)):
                    self._note_function(f"{node.name}.{method.name}", method)
                    self._methods.setdefault(method.name, set()).add(f"{node.name}.{method.name}")

    def _note_function(self, name, definition):
        self._functions.pop(name, None)
        self._binding.discard(name)
        if not definition.decorator_list and (read := _reads(definition)):
            self._functions[name] = read
            if any(isinstance(node, ast.Global) for node in nodes_within(definition)):
                self._binding.add(name)


def _reads(definition):
    """In the order of the text."""
    nodes = list(nodes_within(definition))
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own |= changed_around(definition)
    return tuple(dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name) and node.id not in own))
