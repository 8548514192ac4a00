"""Functions of cells above that a cell may call: what its inputs bring, and what these call in turn."""

import types

from svc_runtime.values import cell_code

MAX_FUNCTIONS = 200


def functions_in(values):
    pending, seen = [*values], set()
    while pending and len(seen) < MAX_FUNCTIONS:
        value = pending.pop()
        if id(value) in seen or not cell_code.sources:
            continue
        if isinstance(value, types.FunctionType):
            if value.__module__ not in cell_code.sources:
                continue
            seen.add(id(value))
            yield value
            named = names_in(value.__code__)
            pending += [one for name, one in value.__globals__.items() if name in named and _is_code(one)]
        else:
            kind = value if isinstance(value, type) else type(value)
            if kind.__module__ in cell_code.sources and id(kind) not in seen:
                seen.add(id(kind))
                pending += [getattr(one, "__func__", getattr(one, "fget", one)) for one in vars(kind).values()]


def names_in(code):
    """Names that code reads and attributes that it asks for, with those of the functions in it."""
    inner = [names_in(one) for one in code.co_consts if isinstance(one, types.CodeType)]
    return {*code.co_names}.union(*inner)


def _is_code(value):
    return isinstance(value, (types.FunctionType, type))
