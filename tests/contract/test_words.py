"""Texts for readers use the words of the glossary in CONTRIBUTING.md, not those that this code once had for itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from almanac.composition.families import described_families
from almanac.protocol.family import Family
from tests.contract.tool_finding.test_tool_finding import whole

INSTEAD = {
    "bell": "notifier",
    "bells": "notifiers",
    "chore": "scheduled job",
    "chores": "scheduled jobs",
    "desk": "booking service",
    "desks": "booking services",
    "hopeless": "permanent failure",
    "house": "installation, deployment",
    "houses": "installations",
    "lane": "ordered queue",
    "lanes": "ordered queues",
    "memo": "idempotency record",
    "memos": "idempotency records",
    "patience": "retry, backoff",
    "refiling": "reindex",
    "shelf": "index",
    "shelves": "indexes",
    "stand in line": "join the queue",
    "stand in the way": "overlap, conflict",
    "stands in the way": "overlaps, conflicts",
    "timekeeping": "scheduler",
}
IN_NAMES = INSTEAD.keys() - {"bell", "bells", "patience", "shelf", "shelves"}
"""Not in names either: those left out are what toys of the tests are about, and an option of `Retries`."""
_DROPPED = re.compile(rf"\b({'|'.join(INSTEAD)})\b", re.IGNORECASE)
_DROPPED_NAME = re.compile("|".join(sorted(IN_NAMES)))
_WORD = re.compile(r"(?<=[a-z])([A-Z])")
_CODE = re.compile(r"```.*?```|`[^`\n]*`|^ {4}.*$", re.DOTALL | re.MULTILINE)
_DERIVED = ("benchmarks.md", "data-model.md", "scale.md")
"""Named after the code and its measurements."""


def dropped(text: str) -> list[str]:
    return [f"{found}: say {INSTEAD[found.lower()]}" for found in _DROPPED.findall(text)]


def sentences(source: str) -> Iterator[str]:
    """String literals of more than one word: what users may come to read. Docstrings and assertions are for us."""
    tree = ast.parse(source)
    ours = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    ours |= {id(argument) for node in ast.walk(tree) if _is_assertion(node) for argument in ast.walk(node)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in ours
        ):
            yield node.value


def names(source: str) -> set[str]:
    """Whatever is named in it, in small letters: `NewHouse` and `new_house` are both "new house"."""
    tree = ast.walk(ast.parse(source))
    given = {getattr(node, part, None) for node in tree for part in ("name", "id", "arg", "attr")}
    return {_WORD.sub(r" \1", one).replace("_", " ").lower() for one in given if isinstance(one, str)}


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "AssertionError"


def pages() -> list[Path]:
    root = Path(__file__).parents[2]
    return [*root.glob("*.md"), *(page for page in root.glob("docs/*.md") if page.name not in _DERIVED)]


def sources(folder: str = "layers/app/almanac") -> list[Path]:
    return sorted((Path(__file__).parents[2] / folder).rglob("*.py"))


@pytest.mark.parametrize("family", described_families(), ids=lambda family: family.name)
def test_tools_and_instructions_use_plain_words(family: Family):
    texts = {family.name: family.instructions, **{tool.name: whole(tool) for tool in family.tools}}

    assert {name: words for name, text in texts.items() if (words := dropped(text))} == {}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_pages_use_plain_words(page: Path):
    assert dropped(_CODE.sub("", page.read_text())) == []


def test_errors_hints_and_notices_use_plain_words():
    found = {
        f"{path.name}: {text}": words
        for path in [*sources(), *sources("layers/grammars/codegraph")]
        if _DROPPED.search(source := path.read_text())
        for text in sentences(source)
        if (words := dropped(text))
    }

    assert found == {}


@pytest.mark.parametrize("folder", ["layers/app/almanac", "layers/grammars/codegraph", "tests", "functions"])
def test_names_use_plain_words(folder: str):
    found = {
        f"{path.name}: {name}"
        for path in sources(folder)
        if _DROPPED_NAME.search((source := path.read_text()).lower())
        for name in names(f"{path.stem} = 0\n{source}")
        if not IN_NAMES.isdisjoint(name.split())
    }

    assert found == set()


def test_a_dropped_word_is_seen_in_a_name():
    assert names("class WholeHouse: ...\nnew_house = HOUSE = 1") == {"whole house", "new house", "house"}


def test_a_dropped_word_is_seen_in_prose_and_not_in_code():
    assert dropped(_CODE.sub("", "Ask the house, not `house.py`.\n\n    house = 1\n")) == [
        "house: say installation, deployment"
    ]
    assert dropped("A household with headlanes.") == []
    assert list(sentences('"""The house rules."""\nraise E("No house here.")')) == ["No house here."]
