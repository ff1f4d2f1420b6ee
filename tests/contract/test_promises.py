"""Test that every tool of the contracts has a promise in `promises.md`, and every promise an existing test."""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from almanac.composition.families import families_for_docs

TESTS = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("promises.md")
TOOLS_OF_CONTRACTS = 92
"""Tools that a contract from outside describes. Each keeps at least one row; a tool of our own may have some too."""


class Promise(NamedTuple):
    tool: str
    text: str
    test: str


def promises(table: str) -> list[Promise]:
    """Read the rows of all tables on the page, without their heads."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return [Promise(*[*row, "", "", ""][:3]) for row in rows if row[0] != "tool" and set(row[0]) != {"-"}]


def problem(promise: Promise) -> str | None:
    """Return the defect of a row, or None."""
    if promise.tool not in {tool.name for family in families_for_docs() for tool in family.tools}:
        return "no such tool"
    if not promise.text:
        return "no promise"
    path, _, name = promise.test.strip("`").partition("::")
    if not name:
        return "no test"
    return None if name in _tests_of(TESTS / path) else "no such test"


@cache
def _tests_of(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    functions = (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef))
    return frozenset(function.name for function in functions if function.name.startswith("test_"))


def test_every_promise_has_a_test_that_exists():
    wrong = [(promise, said) for promise in promises(TABLE.read_text()) if (said := problem(promise)) is not None]

    assert wrong == []


def test_every_tool_of_the_contracts_promises_something():
    assert len({promise.tool for promise in promises(TABLE.read_text())}) >= TOOLS_OF_CONTRACTS


def test_a_promise_is_made_once():
    made = [(promise.tool, promise.text) for promise in promises(TABLE.read_text())]

    assert len(made) == len(set(made))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| claim | One holder. | |", "no test"),
        ("| claim | One holder. |", "no test"),
        ("| claim | | `contract/test_promises.py::test_a_promise_is_made_once` |", "no promise"),
        ("| claim | One holder. | `contract/test_promises.py::test_something_else` |", "no such test"),
        ("| claim | One holder. | `contract/test_nothing.py::test_a_promise_is_made_once` |", "no such test"),
        ("| lock_it | One holder. | `contract/test_promises.py::test_a_promise_is_made_once` |", "no such tool"),
        ("| claim | One holder. | `contract/test_promises.py::test_a_promise_is_made_once` |", None),
    ],
)
def test_a_promise_without_a_test_that_exists_is_found(row: str, said: str | None):
    (promise,) = promises(f"| tool | promise | test |\n|---|---|---|\n{row}")

    assert problem(promise) == said
