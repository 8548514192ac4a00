import pytest


def test_example(cell):
    assert cell.example == ("apples", 3)


def test_space(cell):
    assert cell.parse("  pears :4") == ("pears", 4)


def test_nonsense(cell):
    with pytest.raises(ValueError):
        cell.parse("none")
