"""What the cells above are known to have made, as far as it matters to what a cell below changes in place: functions that change
what they are given, functions that keep a state, iterators that are used up, objects that keep a state.
"""

import ast
from dataclasses import dataclass

from svc_engine.aliases import KEEP_WHAT_THEY_GET, made_by, names_given
from svc_engine.code_changes import FUNCTIONS, changed_around, changed_in
from svc_engine.mutation import root_name
from svc_engine.walking import nodes_within, run_here

_RANDOM = {"default_rng", "RandomState", "Random", "Generator"}
_KEEP_A_STATE = {*_RANDOM, "declarative_base", "automap_base", "StringIO", "BytesIO", "open", "Queue", "subplots", "figure", "cursor", "Event", "Draw", "add_subplot", "add_axes", "gca", "twinx", "twiny"}
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
        self._givers = set()  # names of methods that give what their object may hold
        self._classes = {}  # name -> names around that making one changes
        self._kinds = {}  # name -> `state`, `random`, `iterator` or `default`
        self._trained = {}  # name of an optimiser or a scheduler -> names that it works on
        self._held = Held()

    def keeps_a_state(self, name):
        return self._kinds.get(name) in ("state", "random")

    def is_drawn_from(self, name):
        """Whoever is given a generator of random numbers draws from it."""
        return self._kinds.get(name) == "random"

    def is_used_up(self, name):
        return self._kinds.get(name) == "iterator"

    def changes_its_object(self, method):
        """Whether a class of the notebook has such a method."""
        return method in self._changers

    def grows_when_read(self, name):
        """`counts['new']` of a defaultdict puts something there."""
        return self._kinds.get(name) == "default"

    def changed_with(self, names):
        """What changes with these: a model with its optimiser, both with a scheduler; an object with what it holds, and with what
        holds it."""
        found = set()
        pending = [*names]
        while pending:
            name = pending.pop()
            more = (self._trained.get(name, set()) | self._held.beside(name)) - found
            found |= more
            pending += more
        return sorted(found - {*names})

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
            if isinstance(method, FUNCTIONS) and _gives_a_name(method):
                self._givers.add(method.name)
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
                    self._trained[name] = self._given_to_train(node.value)
                    self.functions.pop(name, None)
        self.note_held(nodes)

    def note_held(self, nodes):
        """What holds what from here on."""
        for node in nodes:
            if isinstance(node, ast.Assign):
                for name in (name for target in node.targets for name in _names(target)):
                    self._held.made(name, self._kept_by(node.value))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._held.given(root_name(node.func.value), self._with_a_state(node))

    def _kept_by(self, value):
        """What an object holds that is made here, or is held by: `alice` of `Bank([alice])`, `root` of `root.add(Node())`."""
        name, method_of = made_by(value), getattr(getattr(value, "func", None), "value", None)
        if name in self._givers and method_of is not None:
            return {root_name(method_of)} - {None}
        if name in self._classes:
            return self._with_a_state(value)
        if name in KEEP_WHAT_THEY_GET:
            return {one.id for one in names_given(value) if one.id in self._kinds}
        # `pipe = make_pipeline(model).fit(X)`
        return set() if method_of is None else self._kept_by(method_of)

    def _with_a_state(self, call):
        return {one.id for one in names_given(call) if self.keeps_a_state(one.id)}

    def _given_to_train(self, value):
        """`model` of `Adam(model.parameters())`, `optimizer` of `StepLR(optimizer, 10)`."""
        given = [*value.args, *(word.value for word in value.keywords)] if isinstance(value, ast.Call) else []
        asked = [one.func for one in given if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]
        models = {root_name(one) for one in asked if one.attr == "parameters"}
        return (models | {one.id for one in given if isinstance(one, ast.Name) and self._trained.get(one.id)}) - {None}

    def _kind(self, value):
        if isinstance(value, ast.GeneratorExp):
            return "iterator"
        name = made_by(value)
        if name in self.functions:
            return self.functions[name].gives
        if name in _RANDOM:
            return "random"
        if name in self._classes or name in _KEEP_A_STATE:
            return "state"
        if name == "defaultdict":
            return "default"
        return "iterator" if name in _ITERATORS else None

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


class Held:
    """Which names stand for objects that hold each other."""

    def __init__(self):
        self._pairs = set()

    def beside(self, name):
        return {one for pair in self._pairs if name in pair for one in pair}

    def made(self, name, holds):
        self._pairs = {pair for pair in self._pairs if name not in pair}
        self.given(name, holds)

    def given(self, name, holds):
        self._pairs |= {frozenset((name, one)) for one in holds if name not in (one, None)}


def _gives_a_name(function):
    returned = [node.value for node in nodes_within(function) if isinstance(node, ast.Return)]
    return any(isinstance(value, ast.Name) for value in returned)


def _names(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in _names(element)]
    return [target.id] if isinstance(target, ast.Name) else []
