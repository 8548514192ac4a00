"""Runs notebooks in Jupyter, each in a fresh kernel. Each line that comes is an order (`id`, `notebook`, `folder`, and `out`, where
outputs and time are written); a line goes back when it is done, with the problem if there was one.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient

# Programs that cells start write to the standard output of their kernel, which is ours.
answers = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
PATIENCE = 600  # seconds: a busy machine takes a minute to start a kernel


async def run(order):
    with open(order["notebook"]) as file:
        notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(order["folder"], place, dirs_exist_ok=True)
        client = NotebookClient(
            notebook,
            timeout=PATIENCE,
            startup_timeout=PATIENCE,
            allow_errors=True,
            kernel_name="python3",
            resources={"metadata": {"path": place}},
        )
        began = time.perf_counter()
        await client.async_execute()
        took = (time.perf_counter() - began) * 1000
    cells = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with open(order["out"], "w") as file:
        json.dump({"took": took, "cells": cells}, file)


async def carry_out(order):
    problem = None
    try:
        await run(order)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"id": order["id"], "problem": problem}), file=answers, flush=True)


async def main():
    tasks = []
    while line := await asyncio.to_thread(sys.stdin.readline):
        tasks.append(asyncio.create_task(carry_out(json.loads(line))))
    await asyncio.gather(*tasks)


asyncio.run(main())
