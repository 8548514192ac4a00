"""Lines of code objects that do something."""

import types


def with_inner(code):
    """A code object and those of the functions and classes in it."""
    pending = [code]
    while pending:
        code = pending.pop()
        yield code
        pending.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))


def that_do(code):
    return {line for each in with_inner(code) for _, _, line in each.co_lines() if line}


def first_from(wanted, lines):
    """For each wanted line, the first of the lines from there on."""
    found = (min((line for line in lines if line >= one), default=None) for one in wanted)
    return sorted({line for line in found if line is not None})
