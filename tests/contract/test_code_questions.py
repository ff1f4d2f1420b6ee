"""Test the forty questions about code: their data, the grep that answers them, and the scores of answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.bench.code_search.agent import Agent
from tests.bench.code_search.expert import Expert
from tests.bench.code_search.grep import grep, heads_of, terminal_output
from tests.bench.code_search.scores import f1
from tests.bench.code_search.tasks import Place, Task, TaskKind, suite
from tests.bench.code_search.units import Units

PYTHON = """\
class Cart:
    def add(self, item):
        self.items.append(item)

    def fill(
        self, items
    ) -> None:
        for item in items:
            self.add(item)


class Set:
    def add(self, item):
        return item


def fill_all(carts):
    for cart in carts:
        cart.add(1)


def outer():
    def inner():
        return fill_all([])
    return inner
"""
FILES = {"shop.py": PYTHON}
SCRIPT = {
    "a.ts": "export class Cart {\n    add(item: Item): void {\n        total(\n            item\n        )\n    }\n}\n"
    "export const total = (item: Item): number => {\n    return new Cart().add(item)\n}\n"
}
GO = {
    "a.go": "package a\n\nfunc (c *Cart) Add(i int) {\n\tc.n += i\n}\n\nfunc (s Set) Add(i int) {}\n\n"
    "func Fill(c *Cart) {\n\tc.Add(1)\n}\n"
}


def _task(kind: TaskKind = "callers", answer: tuple[Place, ...] = (), symbol: str = "", path: str = "") -> Task:
    return Task(kind=kind, package="shop", answer=answer, symbol=symbol, path=path)


def test_there_are_ten_questions_of_each_kind_about_packages_that_are_pinned():
    asked = suite()
    assert Counter(task.kind for task in asked.tasks) == dict.fromkeys(
        ("definition", "callers", "setting", "impact"), 10
    )
    assert {task.package for task in asked.tasks} == {package.name for package in asked.packages}
    assert all(task.answer and bool(task.symbol) != bool(task.question and task.patterns) for task in asked.tasks)


@pytest.mark.parametrize(
    ("places", "worth"),
    [([1, 2], 1.0), ([1], 2 / 3), ([1, 2, 3, 4], 2 / 3), ([3], 0.0), ([], 0.0), ([1, 1, 2], 1.0)],
)
def test_an_answer_is_worth_the_harmonic_mean_of_precision_and_recall(places: list[int], worth: float):
    task = _task(answer=(Place("a", 1), Place("a", 2)))
    assert f1(task, [Place("a", line) for line in places]) == pytest.approx(worth)


@pytest.mark.parametrize(("places", "worth"), [([1, 8, 9], 1.0), ([8, 1, 9], 2 / 3), ([*range(20, 30), 1], 0.0)])
def test_the_places_of_a_setting_are_read_up_to_the_right_one_among_the_first_ten(places: list[int], worth: float):
    task = _task(kind="setting", answer=(Place("a", 1),))
    assert f1(task, [Place("a", line) for line in places]) == pytest.approx(worth)


def test_grep_shows_lines_by_number_with_the_definition_around_them():
    text = terminal_output(FILES, grep(FILES, r"\.add\("), heads=True)
    assert text.splitlines() == [
        "shop.py=5=    def fill(",
        "shop.py:9:            self.add(item)",
        "shop.py=17=def fill_all(carts):",
        "shop.py:19:        cart.add(1)",
    ]


@pytest.mark.parametrize(
    ("files", "line", "heads"),
    [
        (FILES, 9, (5, 1)),
        (FILES, 24, (23, 22)),
        (FILES, 2, (2, 1)),
        (SCRIPT, 3, (2, 1)),
        (SCRIPT, 9, (8,)),
        (GO, 4, (3,)),
    ],
)
def test_the_definitions_around_a_line_are_found_by_its_indentation(
    files: dict[str, str], line: int, heads: tuple[int, ...]
):
    [(path, text)] = files.items()
    assert heads_of(path, text.split("\n"), line) == heads


def test_an_expert_finds_the_method_of_the_class_that_is_meant():
    reading = Expert(FILES, Units(FILES)).definition(_task("definition", symbol="Set.add", path="shop.py"))
    assert reading.places == (Place("shop.py", 13),)
    assert "    def add(self, item):\n        return item" in reading.text
    in_go = Expert(GO, Units(GO)).definition(_task("definition", symbol="Cart.Add", path="a.go"))
    assert in_go.places == (Place("a.go", 3),)


def test_an_expert_takes_calls_by_self_for_those_of_the_own_class():
    expert = Expert(FILES, Units(FILES))
    assert set(expert.callers(_task(symbol="Cart.add", path="shop.py")).places) == {
        Place("shop.py", 5),
        Place("shop.py", 17),
    }
    assert expert.callers(_task(symbol="Set.add", path="shop.py")).places == (Place("shop.py", 17),)


def test_an_expert_goes_on_to_the_callers_of_callers():
    reading = Expert(FILES, Units(FILES)).impact(_task("impact", symbol="Cart.add", path="shop.py"))
    assert Place("shop.py", 22) in reading.places
    in_script = Expert(SCRIPT, Units(SCRIPT)).impact(_task("impact", symbol="Cart.add", path="a.ts"))
    assert in_script.places == (Place("a.ts", 8), Place("a.ts", 2))


def test_an_expert_searches_for_a_setting_until_he_has_it():
    files = {"a.py": "LIMIT = 3\n", "b.py": "most = 4\n"}
    task = Task(kind="setting", package="shop", answer=(Place("b.py", 1),), patterns=("limit", "most", "a"))
    assert Expert(files, Units(files)).setting(task).places == (Place("a.py", 1), Place("b.py", 1))


def _agent(answers: Mapping[str, Sequence[Mapping[str, object]]], asked: list[str]) -> Agent:
    """Return an agent whose tool answers by the requested kind."""

    def call(tool: str, **arguments: Any) -> tuple[str, Any]:
        asked.append(arguments.get("kind", "all"))
        return asked[-1], {"hits": answers[asked[-1]]}

    return Agent(call, "shop", Units(FILES))


def test_an_agent_looks_for_a_setting_in_all_code_only_where_no_setting_is_it():
    task = Task(kind="setting", package="shop", answer=(Place("b.py", 4), Place("b.py", 5)))
    wrong = {"path": "a.py", "start_line": 7, "snippet": "7 | a = 1"}
    right = {"path": "b.py", "start_line": 3, "snippet": "3 | # The most.\n4 | most = 4\n5 | least = 2"}
    asked: list[str] = []
    reading = _agent({"settings": [wrong, right]}, asked).setting(task)
    assert (asked, reading.places) == (["settings"], (Place("a.py", 7), Place("b.py", 4), Place("b.py", 5)))
    asked.clear()
    reading = _agent({"settings": [wrong], "all": [right]}, asked).setting(task)
    assert (asked, reading.text) == (["settings", "all"], "settings\nall")
    assert reading.places == (Place("a.py", 7), Place("b.py", 4), Place("b.py", 5))
