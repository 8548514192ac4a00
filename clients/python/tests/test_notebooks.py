import asyncio

import pytest

from svc_client import AsyncSvcClient, CellFailed


def test_a_notebook_from_nothing_to_a_result(client):
    notebook = client.notebooks.create("From Nothing")
    numbers = notebook.add("numbers = list(range(10))")
    total = notebook.add("sum(numbers)")
    assert notebook.run(total)["display"]["preview"] == 45
    notebook.edit(numbers, "numbers = [1, 2]")
    assert [result["status"] for result in notebook.run_all()] == ["ready", "ready"]
    assert [cell["status"] for cell in notebook.cells()] == ["ready", "ready"]
    assert "sum(numbers)" in notebook.export("script").decode()
    assert notebook.path in [found["path"] for found in client.notebooks.discover()]
    assert client.notebooks.open(notebook.path).session_id == notebook.session_id


def test_a_cell_that_fails_says_why(client):
    notebook = client.notebooks.create("Failing")
    cell = notebook.add("1 / 0")
    with pytest.raises(CellFailed, match="ZeroDivisionError|division by zero"):
        notebook.run(cell)
    notebook.delete_cell(cell)
    assert notebook.cells() == []
    notebook.delete()


def test_notebooks_beside_each_other():
    async def use():
        async with AsyncSvcClient() as client:
            made = await asyncio.gather(*(client.notebooks.create(f"Beside {number}") for number in range(2)))
            cells = await asyncio.gather(*(notebook.add("2 + 2") for notebook in made))
            runs = await asyncio.gather(*(notebook.run(cell) for notebook, cell in zip(made, cells)))
            return [run["display"]["preview"] for run in runs]

    assert asyncio.run(use()) == [4, 4]
