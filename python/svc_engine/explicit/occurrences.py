"""Where a cell means one name of the notebook: every place in its text that reads, binds or declares it, and whether the place is
run with the cell or later, when a function is called. Scopes are Python's: parameters, locals, targets of comprehensions and
attributes of classes of the same name are somebody else's.
"""

import ast
import re

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# They call what they are given before they return.
EAGER = frozenset(
    "apply applymap map_dataframe transform aggregate agg assign pipe sort sorted sort_values min max sum any all list tuple set dict"
    " frozenset join reduce fromiter array print len next rename where mask query eval system getoutput run_line_magic cell_magic".split()
)
_BY_TEXT = {"globals", "locals", "vars", "dir", "exec", "eval"}
_TELLING_MAGICS = {"who", "whos", "who_ls", "reset", "run"}


class Occurrence:
    __slots__ = ("at", "deferred", "is_bound", "length", "node", "statement", "text")

    def __init__(self, node, statement, deferred, is_bound, at, length, text):
        self.node = node
        self.statement = statement  # the number of the statement of the cell
        self.deferred = deferred  # stands in code that is run when somebody calls it
        self.is_bound = is_bound
        self.at, self.length = at, length  # characters of the source; None where the place in the text is not known
        self.text = text  # what takes its place, with {} for the new name


class Scope:
    """What a name means in one function, class or comprehension: `global`, `local` or `free`."""

    def __init__(self, kind, meaning, parent):
        self.kind, self.meaning, self.parent = kind, meaning, parent

    def is_of_module(self):
        if self.kind == "module" or self.meaning == "global":
            return True
        if self.meaning == "local":
            return False
        outer = self.parent
        while outer.kind == "class":
            outer = outer.parent
        return outer.is_of_module()


class Finder:
    """Finds the occurrences of one name in one cell."""

    def __init__(self, name, text, special_lines):
        self.name = name
        self.found = []
        self.pins = []  # (statement, deferred, reason): what only works while the name is as it was
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._text = text
        self._special = special_lines
        self._statement = 0
        self._deferred = False
        self._scope = Scope("module", "free", None)
        self._parents = []  # of the expression that is looked at

    def look(self, tree):
        for number, statement in enumerate(tree.body):
            self._statement = number
            self._visit(statement)
        return self

    # Places in the text

    def _offset(self, line, column):
        """Columns of trees count bytes."""
        if line > len(self._lines):
            return None
        text = self._lines[line - 1]
        before = text.encode()[:column].decode(errors="ignore") if not text.isascii() else text[:column]
        return self._starts[line - 1] + len(before)

    def _add(self, node, is_bound, at, text="{}", length=None):
        length = len(self.name) if length is None else length
        here = self._text[at : at + length] if at is not None else None
        if node.lineno in self._special if hasattr(node, "lineno") else False:
            at = None
        elif length and here != self.name:
            self._pin("it stands where it cannot be replaced")
            return
        self.found.append(Occurrence(node, self._statement, self._deferred, is_bound, at, length, text))

    def _pin(self, reason):
        self.pins.append((self._statement, self._deferred, reason))

    def _word_after(self, node, at, mark):
        """The first place of the name after `at`, behind `mark`."""
        end = self._offset(node.end_lineno, node.end_col_offset)
        found = re.compile(rf"{mark}\s+{re.escape(self.name)}\b").search(self._text, at, end)
        return found.end() - len(self.name) if found else None

    # Walking

    def _visit(self, node):
        special = getattr(self, f"_visit_{type(node).__name__}", None)
        if special:
            special(node)
        else:
            self._children(node)

    def _children(self, node):
        self._parents.append(node)
        for child in ast.iter_child_nodes(node):
            self._visit(child)
        self._parents.pop()

    def _visit_all(self, nodes):
        for node in nodes:
            if node is not None:
                self._visit(node)

    def _visit_Name(self, node):
        if node.id in _BY_TEXT and self._is_called(node) and self._scope.is_of_module():
            self._pin(f"{node.id}() reaches names by their text")
        if node.id == self.name and self._scope.is_of_module():
            self._add(node, not isinstance(node.ctx, ast.Load), self._offset(node.lineno, node.col_offset))

    def _is_called(self, node):
        call = self._parents[-1] if self._parents else None
        return isinstance(call, ast.Call) and call.func is node and (node.id in ("exec", "eval") or not call.args)

    def _visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            first = node.args[0] if node.args else None
            text = first.value if isinstance(first, ast.Constant) else None
            if node.func.attr == "run_line_magic" and text in _TELLING_MAGICS:
                self._pin(f"%{text} knows names by their text")
            if node.func.attr in ("query", "eval") and re.search(rf"@{re.escape(self.name)}\b", str(text or "")):
                self._add_in_query(first)
        self._children(node)

    def _add_in_query(self, constant):
        """`df.query('price > @limit')`: the names of the cell, behind an @."""
        if not self._scope.is_of_module():
            return
        start = self._offset(constant.lineno, constant.col_offset)
        end = self._offset(constant.end_lineno, constant.end_col_offset)
        for place in re.compile(rf"@({re.escape(self.name)})\b").finditer(self._text, start, end):
            self._add(constant, False, place.start(1))

    def _visit_JoinedStr(self, node):
        for before, value in zip(node.values, node.values[1:]):
            says = isinstance(before, ast.Constant) and isinstance(value, ast.FormattedValue)
            if says and re.search(rf"\b{re.escape(self.name)}\b[^{{}}]*=\s*$", str(before.value)) and self._reads(value):
                self._pin(f"the text of an f-string shows the name (`{{{self.name}=}}`)")
        self._children(node)

    def _reads(self, node):
        return any(isinstance(part, ast.Name) and part.id == self.name for part in ast.walk(node))

    def _visit_function(self, node):
        self._visit_all(node.decorator_list)
        self._visit_all([*node.args.defaults, *node.args.kw_defaults, node.returns])
        self._visit_all(argument.annotation for argument in arguments_of(node.args))
        if node.name == self.name and self._scope.is_of_module():
            self._add_definition(node, "def")
        meaning = meaning_in(self.name, node.body, {argument.arg for argument in arguments_of(node.args)})
        self._inside("function", meaning, node, node.body)

    _visit_FunctionDef = _visit_AsyncFunctionDef = _visit_function

    def _add_definition(self, node, word):
        at = self._word_after(node, self._offset(node.lineno, node.col_offset), word)
        if word == "class" or node.decorator_list:
            what = "a class" if word == "class" else "a decorated function"
            self._pin(f"{what} shows its own name")
        self._add(node, True, at)

    def _visit_Lambda(self, node):
        self._visit_all([*node.args.defaults, *node.args.kw_defaults])
        meaning = meaning_in(self.name, [node.body], {argument.arg for argument in arguments_of(node.args)})
        self._inside("function", meaning, node, [node.body], deferred=not self._is_run_at_once(node))

    def _visit_ClassDef(self, node):
        self._visit_all([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)])
        if node.name == self.name and self._scope.is_of_module():
            self._add_definition(node, "class")
        meaning = meaning_in(self.name, node.body, set())
        outer, self._scope = self._scope, Scope("class", meaning, self._scope)
        if meaning == "local" and outer.is_of_module() and _is_read_directly(self.name, node.body):
            self._pin("a class body gives and reads the same name")
        self._check_type_parameters(node)
        self._visit_all(node.body)
        self._scope = outer

    def _inside(self, kind, meaning, node, body, deferred=True):
        self._check_type_parameters(node)
        outer, was = self._scope, self._deferred
        self._scope, self._deferred = Scope(kind, meaning, self._scope), was or deferred
        self._parents.append(node)
        self._visit_all(body)
        self._parents.pop()
        self._scope, self._deferred = outer, was

    def _check_type_parameters(self, node):
        if any(parameter.name == self.name for parameter in getattr(node, "type_params", ())):
            self._pin("it is also a type parameter")

    def _visit_comprehension_of(self, node):
        first = node.generators[0]
        self._parents.append(node)
        self._visit(first.iter)
        self._parents.pop()
        targets = {part.id for generator in node.generators for part in ast.walk(generator.target) if isinstance(part, ast.Name)}
        inside = [] if isinstance(node, ast.DictComp) else [node.elt]
        inside += [node.key, node.value] if isinstance(node, ast.DictComp) else []
        for generator in node.generators:
            inside += [generator.target, *generator.ifs]
            inside += [] if generator is first else [generator.iter]
        lazy = isinstance(node, ast.GeneratorExp) and not self._is_run_at_once(node)
        self._inside("comprehension", "local" if self.name in targets else "free", node, inside, deferred=lazy)

    _visit_ListComp = _visit_SetComp = _visit_DictComp = _visit_GeneratorExp = _visit_comprehension_of

    def _visit_NamedExpr(self, node):
        scope, inner = self._scope, self._scope
        while scope.kind == "comprehension":
            scope = scope.parent
        self._scope = scope
        self._visit(node.target)
        self._scope = inner
        self._visit(node.value)

    def _is_run_at_once(self, node):
        """It is given to something that calls it before it returns."""
        if getattr(node, "lineno", 0) in self._special:
            return True
        below = node
        for parent in reversed(self._parents):
            if isinstance(parent, ast.Call) and below is not parent.func and called_name(parent) in EAGER:
                return True
            if isinstance(parent, (ast.Lambda, *FUNCTIONS)):
                return False
            below = parent
        return False

    def _visit_Global(self, node):
        if self.name not in node.names:
            return
        start, end = self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)
        found = re.compile(rf"\b{re.escape(self.name)}\b").search(self._text, start, end)
        self._add(node, False, found.start() if found else None)

    def _visit_alias_of(self, node):
        for alias in node.names:
            if alias.name == "*":
                self._pin("`import *` may bring the same name")
            elif alias.name == "__main__":
                self._pin("`__main__` reaches names by their text")
            if (alias.asname or alias.name.partition(".")[0]) != self.name or not self._scope.is_of_module():
                continue
            end = self._offset(alias.end_lineno, alias.end_col_offset)
            if alias.asname:
                self._add(alias, True, end - len(self.name))
            elif "." in alias.name:
                self._pin(f"`import {alias.name}` brings it under no other name")
            else:
                self._add(alias, True, end, " as {}", 0)

    _visit_Import = _visit_ImportFrom = _visit_alias_of

    def _visit_ExceptHandler(self, node):
        if node.type is not None:
            self._visit(node.type)
        if node.name == self.name and self._scope.is_of_module():
            after = self._offset(node.type.end_lineno, node.type.end_col_offset)
            self._add(node, True, self._word_after(node, after, r"\s*\)*\s*as"))
        self._visit_all(node.body)

    def _visit_pattern(self, node):
        bound = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if bound == self.name and self._scope.is_of_module():
            end = self._offset(node.end_lineno, node.end_col_offset)
            if isinstance(node, ast.MatchMapping):
                self._pin("it stands where it cannot be replaced")
            else:
                self._add(node, True, end - len(self.name))
        self._children(node)

    _visit_MatchAs = _visit_MatchStar = _visit_MatchMapping = _visit_pattern

    def _visit_TypeAlias(self, node):
        if any(isinstance(part, ast.Name) and part.id == self.name for part in ast.walk(node)):
            self._pin("a type alias reads it later")
        self._children(node)


def arguments_of(arguments):
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return named + [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]


def called_name(call):
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)


def meaning_in(name, body, parameters):
    """Whether a scope with this body makes the name its own."""
    meaning = "local" if name in parameters else "free"
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Global) and name in node.names:
            return "global"
        if isinstance(node, ast.Nonlocal) and name in node.names:
            return "local"
        if _binds(node, name):
            meaning = "local"
        pending.extend(_same_scope(node))
    return meaning


def _binds(node, name):
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name.partition(".")[0]) == name for alias in node.names)
    if isinstance(node, ast.MatchMapping):
        return node.rest == name
    return isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name == name


def _same_scope(node):
    """The parts of a node that belong to the scope it stands in."""
    if isinstance(node, FUNCTIONS):
        annotations = [argument.annotation for argument in arguments_of(node.args)]
        parts = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults, *annotations, node.returns]
        return [part for part in parts if part is not None]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
    if isinstance(node, ast.Lambda):
        return [part for part in (*node.args.defaults, *node.args.kw_defaults) if part is not None]
    if isinstance(node, COMPREHENSIONS):
        walruses = [part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
        return [node.generators[0].iter, *walruses]
    return ast.iter_child_nodes(node)


def _is_read_directly(name, body):
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            return True
        pending.extend(_same_scope(node))
    return False
