"""A model that sees no tool until it has searched for it finds the right one by the words of its user.

Clients search names, descriptions, and the names and descriptions of arguments; some show or index titles too.
Each file has what users ask and the tools that do it. The texts were tuned on `tuned.txt`, `held_out.txt` and
`fresh.txt`. `blind.txt` and `unseen.txt` were written by people who had not read the texts: they tell how well the
texts generalise. Never write a text for one of their tasks.

Descriptions are sentences for people and models (STYLE.md), which costs a plain word search some tasks: lists of
synonyms found 81 to 83 % of the blind part. Vectors find fewer than words do: by name and description the static table
finds 68 % of the blind part and MiniLM 69 % (docs/decisions/0077-tool-texts.md says why).

    python -m tests.contract.tool_finding.test_tool_finding     shares found, and what is not
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from almanac.composition.families import families_for_docs
from almanac.protocol.tool import Tool
from tests.contract.tool_finding.bm25 import Ranking, stems, words

SHOWN = 3
"""Search tools load three to five; a tool that is no further down is always loaded."""
PARTS = ("tuned", "held_out", "fresh", "blind", "unseen")
TOOLS = [tool for family in families_for_docs() for tool in family.tools]


class Task(NamedTuple):
    words: str
    tools: frozenset[str]


def tasks(part: str) -> list[Task]:
    lines = (Path(__file__).with_name(f"{part}.txt")).read_text().splitlines()
    parted = [line.split(": ", 1) for line in lines if line and not line.startswith("#")]
    return [Task(said, frozenset(tools.split(", "))) for tools, said in parted]


def argument_texts(schema: dict[str, Any]) -> Iterator[str]:
    """Return names and descriptions of arguments, nested ones included."""
    yield schema.get("description", "")
    for name, child in schema.get("properties", {}).items():
        yield name
        yield from argument_texts(child)
    for child in [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]:
        yield from argument_texts(child)


def whole(tool: Tool) -> str:
    return " ".join([tool.name, tool.title, tool.description, *argument_texts(tool.input_schema)])


def brief(tool: Tool) -> str:
    return f"{tool.name} {tool.description}"


def missed_tasks(
    asked: list[Task], text_of: Callable[[Tool], str], split: Callable[[str], list[str]] = words
) -> list[str]:
    ranking = Ranking({tool.name: text_of(tool) for tool in TOOLS}, split)
    return [task.words for task in asked if task.tools.isdisjoint(ranking.best(task.words, SHOWN))]


def test_every_tool_is_asked_for_in_each_part():
    for part in PARTS:
        asked = tasks(part)

        assert {name for task in asked for name in task.tools} == {tool.name for tool in TOOLS}
        assert len({task.words for task in asked}) == len(asked) >= 100


@pytest.mark.parametrize(
    ("part", "text_of", "share"),
    [
        ("tuned", whole, 0.95),
        ("tuned", brief, 0.94),
        ("held_out", whole, 0.90),
        ("held_out", brief, 0.93),
        ("fresh", whole, 0.92),
        ("fresh", brief, 0.86),
        ("blind", whole, 0.75),
        ("blind", brief, 0.69),
        ("unseen", whole, 0.87),
        ("unseen", brief, 0.86),
    ],
)
def test_the_words_of_a_user_find_the_tool(part: str, text_of: Callable[[Tool], str], share: float):
    asked = tasks(part)

    not_found = missed_tasks(asked, text_of)

    assert len(not_found) <= (1 - share) * len(asked), not_found


def _report() -> None:
    for part in PARTS:
        asked = tasks(part)
        for text_of in (whole, brief):
            for split in (words, stems):
                found = 1 - len(missed_tasks(asked, text_of, split)) / len(asked)
                print(f"{part:9} {text_of.__name__:6} {split.__name__:6} {found:.1%} of {len(asked)}")
    print("\n".join(missed_tasks(tasks("tuned"), whole)))


if __name__ == "__main__":
    _report()
