"""Runs a notebook in Jupyter, in a fresh kernel: `run_there.py NOTEBOOK FOLDER OUT`. Writes its outputs and the time.
"""

import json
import shutil
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient


def run(source, folder):
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(folder, place, dirs_exist_ok=True)
        notebook = nbformat.reads(source, as_version=4)
        client = NotebookClient(
            notebook, timeout=120, allow_errors=True, kernel_name="python3", resources={"metadata": {"path": place}}
        )
        began = time.perf_counter()
        client.execute()
        return notebook, (time.perf_counter() - began) * 1000


def main(notebook, folder, out):
    with open(notebook) as file:
        source = file.read()
    done, took = run(source, folder)
    cells = [cell["outputs"] for cell in done["cells"] if cell["cell_type"] == "code"]
    with open(out, "w") as file:
        json.dump({"took": took, "cells": cells}, file)


main(*sys.argv[1:])
