"""The map of the code leads somewhere."""

import re
from pathlib import Path

import pytest

PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md")
_PATH = re.compile(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:md|yaml|toml))`")


def _named(repository: Path, page: str) -> list[str]:
    return _PATH.findall((repository / page).read_text())


@pytest.mark.parametrize("page", PAGES)
def test_every_path_on_the_page_exists(repository: Path, page: str) -> None:
    package = repository / "layers/app/almanac"
    named = [path for path in _named(repository, page) if not path.startswith("/")]
    assert len(named) > 3
    assert [path for path in named if not (package / path).exists() and not (repository / path).exists()] == []


def test_at_least_twenty_questions_are_answered(repository: Path) -> None:
    (_, answers) = (repository / "ARCHITECTURE.md").read_text().split("## Where does X live?")
    rows = [line for line in answers.splitlines() if line.startswith("| ") and "?" in line]
    assert len(rows) >= 20
    assert all(_PATH.search(row) for row in rows)
