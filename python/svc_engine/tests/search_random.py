"""Random tables, searched letter by letter as somebody types: each search must leave the rows of which any column, written as
text, holds what is searched for.

`search_random.py SEED COUNT FILE` prints the searches on which the two differ, as JSON; FILE is where the table is put.
"""

import datetime
import decimal
import json
import os
import random
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import pyarrow as pa  # noqa: E402 (the path has to be right first)
import pyarrow.compute as pc  # noqa: E402

from svc_engine.browse import browse, open_table  # noqa: E402
from svc_engine.browsing.columns import text  # noqa: E402

# Enough that columns of few values are told apart from others.
ROWS = 9000


def table_of(chance):
    def column(make, kind=None):
        return pa.array([None if chance.random() < 0.1 else make() for _ in range(ROWS)], kind)

    def word(letters):
        return lambda: "".join(chance.choices(letters, k=chance.randrange(8)))

    def number():
        return chance.choice([chance.random(), chance.random() * 10 ** chance.randint(-20, 25), *FLOATS])

    began = datetime.datetime(2020, 1, 1)
    cities = lambda: chance.choice(["Berlin", "Köln", "paris", ""])  # noqa: E731
    columns = {
        "whole": column(lambda: chance.randint(-(10 ** chance.randint(1, 12)), 10**6)),
        "few": column(lambda: chance.randint(-5, 5)),
        "float": column(number),
        "price": column(lambda: chance.choice([1.5, 2.25, -3e30, float("nan")])),
        "exact": column(lambda: decimal.Decimal(chance.randint(-(10**6), 10**6)) / 100, pa.decimal128(12, 2)),
        "flag": column(lambda: chance.random() < 0.5),
        "word": column(word("abcXYZ 019.-éßKkİıſ")),
        "plain": column(word("abcXYZ 019.-")),
        "city": column(cities),
        "kind": column(cities).dictionary_encode(),
        "at": column(lambda: began + datetime.timedelta(seconds=chance.randrange(10**8)), pa.timestamp("us")),
        "zoned": column(lambda: began + datetime.timedelta(days=chance.randrange(4)), pa.timestamp("ms", "UTC")),
        "day": column(lambda: began.date() + datetime.timedelta(days=chance.randrange(40))),
        "list": column(lambda: [chance.randrange(4)]),
        "nothing": pa.nulls(ROWS),
    }
    chosen = chance.sample(sorted(columns), chance.randint(1, len(columns)))
    return pa.table({name: columns[name] for name in chosen})


FLOATS = [float("inf"), float("-inf"), float("nan"), 1e-7, 1e20, -4.0]


def judged(columns, wanted):
    has_case = wanted.lower() != wanted.upper()
    masks = [pc.fill_null(pc.match_substring(texts, wanted, ignore_case=has_case), False) for texts in columns]
    return [at for at, found in enumerate(zip(*(mask.to_pylist() for mask in masks))) if any(found)]


def searched(file, wanted):
    view = {"file": file, "offset": 0, "limit": ROWS, "exact": True, "filters": [], "search": wanted, "sortBy": None}
    return browse(view)["positions"]


def main(seed, count, file):
    chance = random.Random(seed)
    searches, wrong = 0, []
    while searches < count:
        table = table_of(chance)
        with pa.OSFile(file, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=chance.choice([700, 5000, ROWS]))
        columns = [text(column) for column in open_table(file).columns]
        for _ in range(5):
            whole = chance.choice([one for one in chance.choice(columns).to_pylist() if one] or ["x"])
            start = chance.randrange(len(whole))
            wanted = whole[start : start + chance.randint(1, 6)]
            wanted = chance.choice([wanted, wanted.upper(), wanted.lower(), wanted.swapcase()])
            for length in range(1, len(wanted) + 1):
                searches += 1
                if searched(file, wanted[:length]) != judged(columns, wanted[:length]):
                    wrong.append({"search": wanted[:length], "columns": table.column_names})
    print(json.dumps({"searches": searches, "wrong": wrong}))


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
