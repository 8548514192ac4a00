"""Random small notebooks of reassignments: their code, run as one program, prints the same before and after a name is made explicit.
`python explicit_random.py SEED COUNT`; prints how many steps were made, and each notebook that prints something else.
"""

import contextlib
import io
import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from svc_engine.explicit.plan import make_explicit

NAMES = ["x", "df", "f"]


def statement(rng, depth=0):
    n, m = rng.choice(NAMES[:2]), rng.choice(NAMES[:2])
    number = rng.randrange(9)
    plain = [
        f"{n} = {number}",
        f"{n} = {m}",
        f"{n} = [{number}, {m}]  # {n} was {m}",
        f"{n} = ({n}, {number})",
        f"{n} += {number}" if rng.random() < 0.7 else f"{n} = {number}.5",
        f"{n}, other = {m}, {n}",
        f"(*{n}, last) = [1, 2, {number}]",
        f"{n}: int = {number}",
        f"{n} = [{n} for {n} in range({number})]",
        f"{n} = sum({m} for i in range(3)) if isinstance({m}, int) else {number}",
        f"print({n})",
        f"print(f'{{{n}}} {{[{m}, {number}]!r:>12}} {n}')",
        f"print(f'{{{n}=}}')" if rng.random() < 0.1 else f"print('{n}', {n} == {m})",
        f"print([{m} for {n} in range(2)], [i for i in [{n}]])",
        f"print(dict({n}={m}))",
        f"print((lambda {n}: {n})({m}), sorted([2, 1], key=lambda i: (str({n}), i)))",
        f"{n} = {{'a': {m}}}\n{n}['b'] = {number}\nprint({n}['a'])",
        f"{n} = [{number}]\n{n}.append({m} if {m} is not {n} else 0)",
        f"if ({n} := {number}) > 3: print({m})",
        f"import math as {n}\nprint({n}.floor(2.5))" if rng.random() < 0.2 else f"from math import pi as {n}",
        f"del {n}\n{n} = {number}",
        f"global {n}\n{n} = {number}",
    ]
    code = [
        f"def f(): return {n}",
        f"def f({n}): return {n}",
        f"def f():\n    global {n}\n    {n} = {number}\n    return {m}",
        f"def f():\n    {n} = {number}\n    def inner(): return {n}, {m}\n    return inner()",
        f"def f(a={n}): return a, {m}",
        f"def f():\n    return lambda: {n}",
        f"f = lambda: {n}",
        f"class f:\n    kept = {n}\n    {m} = {number}\n    def __call__(self): return {n}\n    def __repr__(self): return str({n})",
        "g = f\nprint(g())",
        "print(f())",
        "y = f()\nprint(callable(y) and y())",
        "h = [f]\nprint(h[0]())",
        f"def again(): return f(), {n}\nprint(again())",
        f"gen = ({n} for i in range(2))",
        "print(list(gen))",
        f"f = [lambda: {n}][0]",
        f"x = f() if not callable(f()) else {number}",
        "def swap(fn): return fn\n@swap\ndef f(): return x",
        f"def df(n): return n and df(n - 1) or {n}" if rng.random() < 0.3 else f"print({n})",
    ]
    if rng.random() < 0.3:
        return rng.choice(code)
    if depth < 2 and rng.random() < 0.3:
        inner = "\n".join(f"    {line}" for line in statement(rng, depth + 1).split("\n"))
        other = "\n".join(f"    {line}" for line in statement(rng, depth + 1).split("\n"))
        return rng.choice(
            [
                f"if {number} > 4:\n{inner}\nelse:\n{other}",
                f"if {number} > 4:\n{inner}",
                f"for i in range({number % 3}):\n{inner}",
                f"for {n} in [1, {m}]:\n{inner}",
                f"try:\n{inner}\nexcept Exception:\n{other}",
                f"try:\n{inner}\n    1 / 0\nexcept ZeroDivisionError as {n}:\n    pass\nfinally:\n{other}",
                f"with open('/dev/null') as {n}:\n    print({n}.name)\n{inner}",
                f"while True:\n{inner}\n    break",
                f"match {m}:\n    case int({n}) if {number} > 2:\n        print({n})\n    case {n}:\n{inner}".replace("\n    case", "\n    case"),
            ]
        )
    return rng.choice(plain)


def notebook(rng):
    first = "x = 1\ndf = 2\ndef f(): return 0\ngen = iter([])"
    return [first, *("\n".join(statement(rng) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(2, 8)))]


def printed(sources):
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile("\n".join(sources), "<notebook>", "exec"), {"__name__": "__main__"})
    except Exception as problem:
        return out.getvalue(), type(problem).__name__
    return out.getvalue(), None


def main(seed, count):
    rng, steps, left, wrong = random.Random(seed), 0, 0, []
    while count > 0:
        sources = notebook(rng)
        try:
            compile("\n".join(sources), "<notebook>", "exec")
        except SyntaxError:
            continue
        count -= 1
        before = printed(sources)
        if "at 0x" in before[0]:
            continue
        for name in NAMES:
            cells = [{"language": "python", "source": source, "reads": [], "defines": []} for source in sources]
            plan = make_explicit({"name": name, "cells": cells})
            steps, left = steps + len(plan["steps"]), left + len(plan["kept"])
            after = list(sources)
            for change in plan["cells"]:
                after[change["cell"]] = change["source"]
            if printed(after) != before:
                wrong.append({"name": name, "before": sources, "after": after, "printed": [before, printed(after)]})
    print(json.dumps({"steps": steps, "left": left, "wrong": wrong[:3], "count": len(wrong)}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
