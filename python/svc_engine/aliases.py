"""Names that a cell gives to what it already has, or to parts of that: `other = df`, `row = grid[0]`, `for table in tables:`. What is changed
through them is changed in what they are of.
"""

import ast

from svc_engine.mutation import root_name

_PICKS = {"max", "min", "next"}
_PASSES_ON = {"enumerate", "zip", "reversed", "sorted", "list", "tuple", "iter"}
_VIEWS = {"values", "items", "findall", "iter", "find_all", "select"}
# What these make works on what they are given first, or on what they are asked of.
_WORKERS = {"writer", "DictWriter", "ZipFile", "ExcelWriter", "Draw", "SubElement", "add_to"}
KEEP_WHAT_THEY_GET = {"Pipeline", "make_pipeline", "Sequential", "Trainer"}
_PARTS = set(
    "cursor getroot find select_one create_sheet add_worksheet add_sheet add_paragraph add_heading add_table add_slide add_section add_subplot "
    "add_axes gca twinx twiny".split()
)


def changed_behind(nodes, changed):
    """The names whose objects are changed when the names in `changed` are."""
    of, changed = {}, set(changed)
    for node in nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            changed.add(node.target.id)  # `row += 1` changes the array that it is a row of
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    of.setdefault(target.id, set()).update(parts_of(node.value))
                elif isinstance(target, (ast.Tuple, ast.List)):  # `first, *others = accounts`
                    for name in (part.id for part in ast.walk(target) if isinstance(part, ast.Name)):
                        of.setdefault(name, set()).update(_elements(node.value))
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            roots = set(_elements(node.iter))
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    of.setdefault(target.id, set()).update(roots)
    found, waiting = set(), list(changed)
    while waiting:
        for root in of.get(waiting.pop(), ()):
            if root not in found:
                found.add(root)
                waiting.append(root)
    return found


def parts_of(value):
    """What `value` is, or is a part of."""
    if isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
        root = root_name(value)
        while isinstance(value, (ast.Attribute, ast.Subscript)):
            value = value.value
        return _elements(value) if root is None else [root]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _PICKS:
        return [root for argument in value.args for root in _elements(argument)]
    if made_by(value) in KEEP_WHAT_THEY_GET:
        return [one.id for one in names_given(value)]
    root = worked_on(value)
    return [] if root is None else [root]


def worked_on(value):
    """What something works on that is made here: `con` of `con.cursor()`, `file` of `csv.writer(file)`, `book` of `book.active`; None for
    all else."""
    if isinstance(value, ast.Attribute) and value.attr == "active":
        return root_name(value.value)
    name = made_by(value)
    if name in _PARTS and isinstance(value.func, ast.Attribute):
        return root_name(value.func.value)
    return root_name(value.args[0]) if name in _WORKERS and value.args else None


def made_by(value):
    """The name of what is called: `Draw` of `ImageDraw.Draw(image)`; None when nothing is."""
    function = value.func if isinstance(value, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", None))


def names_given(call):
    """The names among what a call is given, also in lists and pairs."""
    pending = [*call.args, *(word.value for word in call.keywords)]
    while pending:
        one = pending.pop()
        if isinstance(one, ast.Name):
            yield one
        elif isinstance(one, (ast.List, ast.Tuple)):
            pending += one.elts


def _elements(value):
    """What the elements of `value` are, or are parts of."""
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return [root for element in value.elts for root in parts_of(element)]
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Name) and value.func.id in _PASSES_ON:
            return [root for argument in value.args for root in _elements(argument)]
        if isinstance(value.func, ast.Attribute) and value.func.attr in _VIEWS:
            return parts_of(value.func.value)
        return []
    return parts_of(value)
