"""Damages files of a table at random and scans it: whatever comes of it is a result or a refusal of ours, never another
exception. Native code that reads Parquet may die of it all the same; then the process is started anew, as a server does.

    python table_damage.py <seed> <rounds>

Prints one line of JSON: how many rounds were read, refused, and died of. Ends with the round that broke out.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

import pyarrow
from pyiceberg.catalog.sql import SqlCatalog

from svc_engine.tables import footers, metadata, plan, read
from svc_engine.tables.refusals import OWN

FILTERS = ("[]", '[{"column": "id", "op": ">", "value": 3}]', '[{"column": "text", "op": "=", "value": "7"}]')


def make_table(folder):
    catalog = SqlCatalog("svc", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("db")
    rows = pyarrow.table({"id": list(range(50)), "text": [str(i) for i in range(50)], "part": [i * 0.5 for i in range(50)]})
    table = catalog.create_table("db.t", schema=rows.schema)
    table.append(rows)
    table.append(rows)
    return table


def files_of(table):
    snapshot = table.current_snapshot()
    manifests = [one.manifest_path for one in snapshot.manifests(table.io)]
    data = [task.file.file_path for task in table.scan().plan_files()]
    return [one.removeprefix("file://") for one in [table.metadata_location, snapshot.manifest_list, *manifests, *data]]


def damaged(content, source):
    damage = bytearray(content)
    for _ in range(source.choice([1, 1, 3, 10])):
        at, how = source.randrange(len(damage)), source.random()
        if how < 0.7:
            damage[at] = source.randrange(256)
        elif how < 0.85:
            del damage[at : at + source.randrange(1, 50)]
        else:
            damage[at:at] = source.randbytes(source.randrange(1, 20))
    return bytes(damage)


def scan(location, filters, target):
    table = {
        "metadataLocation": location,
        "io": {"py-io-impl": "svc_engine.tables.storage.StorageIO"},
        "snapshotId": None,
        "columns": [],
        "filters": filters,
        "identity": "svc.db.t",
    }
    # Everything under its location is known to stay as it is, which is what does not hold here.
    metadata._tables.clear()
    footers.FOOTERS.kept.clear()
    read._scans.__init__()
    planned = plan.plan({**table, "maxEqualityDeleteRows": 1000})
    for file in planned["files"]:
        for group in file["rowGroups"]:
            read.read({**table, "file": file, "rowGroup": group, "batchSize": 65536, "target": target})


def damage_and_scan(seed, first, rounds):
    """Says of each round, as it ends, what came of it."""
    folder = tempfile.mkdtemp(prefix="svc-damage-")
    try:
        table = make_table(folder)
        whole = {path: open(path, "rb").read() for path in files_of(table)}
        kinds = sorted(whole, key=lambda path: (path.rpartition(".")[2], path))
        for number in range(first, rounds):
            source = random.Random(f"{seed} {number}")
            path = source.choice(kinds)
            with open(path, "wb") as file:
                file.write(damaged(whole[path], source))
            try:
                scan(table.metadata_location, source.choice(FILTERS), f"{folder}/out")
                print("read", flush=True)
            except OWN:
                print("refused", flush=True)
            except BaseException:
                print(f"seed {seed}, round {number}: {os.path.basename(path)}", file=sys.stderr)
                raise
            with open(path, "wb") as file:
                file.write(whole[path])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(seed, rounds):
    ends = []
    while len(ends) < rounds:
        command = [sys.executable, __file__, str(seed), str(rounds), str(len(ends))]
        child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        ends += child.stdout.split()
        if child.returncode < 0:
            ends.append("died")
        elif child.returncode > 0:
            sys.exit(child.returncode)
    print(json.dumps({end: ends.count(end) for end in ("read", "refused", "died")}))


if len(sys.argv) == 4:
    damage_and_scan(int(sys.argv[1]), int(sys.argv[3]), int(sys.argv[2]))
else:
    main(int(sys.argv[1]), int(sys.argv[2]))
