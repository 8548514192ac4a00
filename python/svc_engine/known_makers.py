"""What the cells above are known to have made, as far as it matters to what a cell below changes in place: functions that change
what they are given, functions that keep a state, iterators that are used up, objects that keep a state.
"""

import ast
from dataclasses import dataclass

from svc_engine.code_changes import FUNCTIONS, changed_around, changed_in
from svc_engine.mutation import root_name
from svc_engine.walking import nodes_within, run_here

_KEEP_A_STATE = {"default_rng", "RandomState", "Random", "Generator", "StringIO", "BytesIO", "open", "Queue", "subplots", "cursor", "Event"}
_ITERATORS = {"iter", "map", "filter", "zip", "enumerate", "reversed", "open", "reader", "DictReader", "count", "cycle", "chain", "islice"}


@dataclass(frozen=True)
class Function:
    parameters: tuple
    changed: frozenset
    """Those of its parameters that it changes in place."""
    around: frozenset
    """What else it changes: names of the notebook."""
    gives: str | None
    """`state` when a function inside it keeps one (`nonlocal`), `iterator` when it yields."""

    def changed_by(self, call):
        """The names that are given to a call of it, and that it changes."""
        for name, argument in [*zip(self.parameters, call.args), *((word.arg, word.value) for word in call.keywords)]:
            if name in self.changed:
                yield root_name(argument)


class KnownMakers:
    def __init__(self):
        self.functions = {}
        self._methods = {}  # name of a method of some class -> names around that it changes
        self._changers = set()  # names of methods that change their own object
        self._classes = {}  # name -> names around that making one changes
        self._kinds = {}  # name -> `state`, `iterator` or `default`

    def keeps_a_state(self, name):
        return self._kinds.get(name) == "state"

    def is_used_up(self, name):
        return self._kinds.get(name) == "iterator"

    def changes_its_object(self, method):
        """Whether a class of the notebook has such a method."""
        return method in self._changers

    def grows_when_read(self, name):
        """`counts['new']` of a defaultdict puts something there."""
        return self._kinds.get(name) == "default"

    def changed_by_use(self, node):
        """What is changed around a function or a class that is named here, called by whomever, or around a method."""
        if isinstance(node, ast.Attribute):
            return self._methods.get(node.attr, ())
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            return ()
        return self.functions[node.id].around if node.id in self.functions else self._classes.get(node.id, ())

    def _note_class(self, definition):
        self._classes[definition.name] = ()
        for method in definition.body:
            if isinstance(method, FUNCTIONS) and method.args.args and method.name != "__init__":
                if method.args.args[0].arg in changed_in(nodes_within(method)):
                    self._changers.add(method.name)
            if isinstance(method, FUNCTIONS) and (around := changed_around(method)):
                self._methods[method.name] = {*self._methods.get(method.name, ()), *around}
                if method.name == "__init__":
                    self._classes[definition.name] = around

    def note(self, nodes):
        """`nodes`: everything that the cell runs itself, in the order of its text."""
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                self._note_class(node)
            elif isinstance(node, FUNCTIONS):
                self.functions[node.name] = self._function(node)
            elif isinstance(node, ast.Assign):
                for name in (name for target in node.targets for name in _names(target)):
                    self._kinds[name] = self._kind(node.value)
                    self.functions.pop(name, None)

    def _kind(self, value):
        if isinstance(value, ast.GeneratorExp):
            return "iterator"
        if not isinstance(value, ast.Call):
            return None
        made_by = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", None)
        if made_by in self.functions:
            return self.functions[made_by].gives
        if made_by in self._classes or made_by in _KEEP_A_STATE:
            return "state"
        if made_by == "defaultdict":
            return "default"
        return "iterator" if made_by in _ITERATORS else None

    def _function(self, definition):
        arguments = definition.args
        parameters = tuple(one.arg for one in [*arguments.posonlyargs, *arguments.args])
        within = [node for statement in definition.body for node in [statement, *run_here(statement)]]
        rebound = {node.id for node in within if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        every = {*parameters, *(one.arg for one in arguments.kwonlyargs)} - rebound
        changed = frozenset(every.intersection(self._changed(within)))
        used = {name for node in within for name in self.changed_by_use(node)}
        around = frozenset({*changed_around(definition), *((used | self._told_to(within)) - every - rebound)})
        if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in within):
            return Function(parameters, changed, around, "iterator")
        inner = [node for node in within if isinstance(node, FUNCTIONS)]
        keeps = any(isinstance(node, ast.Nonlocal) for function in inner for node in nodes_within(function))
        return Function(parameters, changed, around, "state" if keeps else None)

    def _told_to(self, nodes):
        """Objects with a state that are asked or told something."""
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        return {name for call in calls if self.keeps_a_state(name := root_name(call.func.value))}

    def _changed(self, nodes):
        yield from changed_in(nodes)
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in self._changers:
                yield root_name(node.func.value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.functions:
                yield from self.functions[node.func.id].changed_by(node)
                yield from self.functions[node.func.id].around


def _names(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in _names(element)]
    return [target.id] if isinstance(target, ast.Name) else []
