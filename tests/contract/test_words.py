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
_DROPPED = re.compile(rf"\b({'|'.join(INSTEAD)})\b", re.IGNORECASE)
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


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "AssertionError"


def pages() -> list[Path]:
    root = Path(__file__).parents[2]
    return [*root.glob("*.md"), *(page for page in root.glob("docs/*.md") if page.name not in _DERIVED)]


def sources() -> list[Path]:
    return sorted((Path(__file__).parents[2] / "layers/app/almanac").rglob("*.py"))


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
        for path in sources()
        for text in sentences(path.read_text())
        if (words := dropped(text))
    }

    assert found == {}


def test_a_dropped_word_is_seen_in_prose_and_not_in_code():
    assert dropped(_CODE.sub("", "Ask the house, not `house.py`.\n\n    house = 1\n")) == [
        "house: say installation, deployment"
    ]
    assert dropped("A household with headlanes.") == []
    assert list(sentences('"""The house rules."""\nraise E("No house here.")')) == ["No house here."]
