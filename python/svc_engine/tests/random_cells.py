"""Random cells, run for real: what the analysis calls references must be what the running cell asks the outside for.

`random_cells.py SEED COUNT` prints the cells on which the two differ, as JSON. The cells run straight through and call
no function of their own, because the order in which those run is what static analysis cannot know.
"""

import builtins
import json
import os
import random
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from svc_engine.analysis import analyse  # noqa: E402 (the path has to be right first)

NAMES = "abcdefgh"


class Anything:
    """A value that bears every operation."""

    def answer(self, *_arguments, **_options):
        return Anything()

    __add__ = __radd__ = __getitem__ = __getattr__ = __call__ = __enter__ = answer

    def __iter__(self):
        return iter([Anything(), Anything()])

    def __setitem__(self, _key, _value):
        pass

    def __setattr__(self, _name, _value):
        pass

    def __exit__(self, *_problem):
        return None

    def __hash__(self):
        return 1

    def __eq__(self, _other):
        return True


class Outside(dict):
    """The namespace of a cell: a name that the cell has not bound comes from outside, and is noted."""

    def __init__(self):
        super().__init__()
        self.asked = set()

    def __missing__(self, name):
        if hasattr(builtins, name) or name.startswith("__"):
            raise KeyError(name)
        self.asked.add(name)
        return Anything()


def expression(choose, depth=0):
    forms = [
        lambda: name(),
        lambda: f"{name()}[{inner()}]",
        lambda: f"{name()}.attribute",
        lambda: f"({inner()} + {inner()})",
        lambda: f"{name()}({inner()}, key={inner()})",
        lambda: f"{name()}.method({inner()}, inplace=True)",
        lambda: f"[{inner()} for {name()} in [{inner()}] if ({inner()},) for {name()} in [{inner()}]]",
        lambda: f"{{{inner()}: {inner()} for {name()}, {name()}2 in [({inner()}, 1)]}}",
        lambda: f"(lambda {name()}={inner()}: {inner()})()",
        lambda: f"f'{{{name()}!r}} {{{name()}.x}}'",
        lambda: f"({inner()} if ({inner()},) else None)",
    ]

    def name():
        return choose.choice(NAMES)

    def inner():
        return expression(choose, depth + 1)

    return forms[0]() if depth > 2 else choose.choice(forms)()


def statement(choose):
    name, other = choose.choice(NAMES), choose.choice(NAMES)
    value = expression(choose)
    return choose.choice(
        [
            f"{name} = {value}",
            f"{name} = {other} = {value}",
            f"{name}, (*{other}, _z) = {value}, {value}",
            f"{name} += {value}",
            f"{name}[{other}] = {value}",
            f"{name}.attribute[{expression(choose, 1)}].more = {value}",
            f"{name}: {other} = {value}",
            f"for {name} in [{value}]:\n    {other} = {name}",
            f"with {value} as {name}, {other} as {name}[{other}]:\n    pass",
            f"if (({name} := {value}),):\n    {other} = {name}",
            f"class {name}:\n    {other} = {other}\n    method = {value}\n    again = method",
            f"def {name}({other}={value}) -> {choose.choice(NAMES)}:\n    return {other}",
            f"try:\n    {name} = {value}\nfinally:\n    {other} = 1",
            f"match {value}:\n    case {name}:\n        pass",
            f"import os as {name}",
            f"{value}",
        ]
    )


def main(seed, count):
    choose = random.Random(seed)
    differing, ran = [], 0
    for _ in range(count):
        source = "\n".join(statement(choose) for _ in range(choose.randint(1, 6)))
        outside = Outside()
        try:
            exec(source, outside)
        except Exception:
            continue  # a module has no item, a class no sum: half a run says nothing about the names after it
        ran += 1
        found = analyse(source)
        if set(found["references"]) != outside.asked:
            differing.append({"source": source, "analysed": found["references"], "asked": sorted(outside.asked)})
    print(json.dumps({"ran": ran, "differing": differing[:5]}))


main(int(sys.argv[1]), int(sys.argv[2]))
