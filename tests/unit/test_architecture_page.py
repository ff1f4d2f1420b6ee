"""The map of the code and the citations of decisions lead somewhere."""

import re
from pathlib import Path

import pytest

PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md")
_CITED = re.compile(r"\bdecisions?[/ ]((?:0\d{3}(?:-[\w-]+\.md)?(?:, | and )?)+)")
_CITED_IN_A_RECORD = re.compile(r"[( ](0\d{3})\b(?![\d-])")
_PATH = re.compile(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:md|yaml|toml))`")


_WORD = re.compile(r"\w+")
_MODULE = re.compile(r"`(?!src/|x\.py)([\w-][\w./-]*\.py)`")
"""Except files of the repositories in examples."""


def _named_paths(repository: Path, page: str) -> list[str]:
    return _PATH.findall((repository / page).read_text())


@pytest.mark.parametrize("page", PAGES)
def test_every_path_on_the_page_exists(repository: Path, page: str) -> None:
    package = repository / "layers/app/almanac"
    named = [path for path in _named_paths(repository, page) if not path.startswith("/")]
    assert len(named) > 3
    assert [path for path in named if not (package / path).exists() and not (repository / path).exists()] == []


def test_every_name_of_code_on_the_page_exists(repository: Path) -> None:
    folders = ("layers", "tests", "tools", "functions")
    code = {
        word
        for each in folders
        for path in (repository / each).rglob("*.py")
        for word in _WORD.findall(path.read_text())
    }
    page = (repository / "CONTRIBUTING.md").read_text()
    named = {name for name in re.findall(r"`([A-Za-z]\w+)`", page) if "_" in name or not name.islower()}
    assert len(named) > 8
    assert named - code == set()


def test_every_module_that_a_decision_names_exists(repository: Path) -> None:
    modules = {path.relative_to(repository).as_posix() for path in repository.glob("[!.]*/**/*.py")}
    pages = [*(repository / "docs/decisions").glob("0*.md"), repository / "layers/grammars/codegraph/README.md"]
    named = [(page.name, path) for page in pages for path in _MODULE.findall(page.read_text())]
    assert len(named) > 20
    assert [one for one in named if not any(f"/{path}".endswith(f"/{one[1]}") for path in modules)] == []


def test_every_module_that_the_patterns_show_of_today_exists(repository: Path) -> None:
    package = repository / "layers/app/almanac"
    today = re.findall(
        r"^Now (.*?)(?=^## |\Z)", (repository / "docs/patterns.md").read_text(), re.MULTILINE | re.DOTALL
    )
    named = [path for part in today for path in re.findall(r"(?:# |`)(\w+(?:/\w+)+\.py)", part)]
    assert len(named) > 5
    assert [one for one in named if not any((package / folder / one).exists() for folder in ("", "families"))] == []


def test_every_line_that_the_patterns_show_of_today_is_code(repository: Path) -> None:
    code = "\n".join(path.read_text() for path in (repository / "layers").rglob("*.py"))
    squeezed = re.sub(r"\s+", "", code)
    today = re.findall(
        r"^Now (.*?)(?=^## |\Z)", (repository / "docs/patterns.md").read_text(), re.MULTILINE | re.DOTALL
    )
    shown = [line for part in today for line in re.findall(r"^    (.+)$", part, re.MULTILINE)]
    lines = [re.sub(r"\s+|  # .*|^\s*#.*", "", line) for line in shown if "..." not in line]
    assert sum(map(bool, lines)) > 20
    assert [line for line in lines if line not in squeezed] == []


def test_at_least_twenty_questions_are_answered(repository: Path) -> None:
    (_, answers) = (repository / "ARCHITECTURE.md").read_text().split("## Where does X live?")
    rows = [line for line in answers.splitlines() if line.startswith("| ") and "?" in line]
    assert len(rows) >= 20
    assert all(_PATH.search(row) for row in rows)


def _texts(repository: Path) -> list[Path]:
    package = repository / "layers/app/almanac"
    pages = [*repository.glob("*.md"), *repository.glob("*.toml"), *(repository / "docs").rglob("*.md")]
    return [
        *pages,
        *package.rglob("*.py"),
        *(repository / "tests").rglob("*.py"),
        *(repository / "tools").rglob("*.md"),
    ]


def test_every_decision_that_is_cited_has_a_record(repository: Path) -> None:
    records = {path.name for path in (repository / "docs/decisions").glob("0*.md")}
    numbers = {name[:4] for name in records}
    dangling: list[tuple[str, str]] = []
    for path in _texts(repository):
        text = path.read_text()
        cited = [name for group in _CITED.findall(text) for name in re.findall(r"0\d{3}(?:-[\w-]+\.md)?", group)]
        if path.parent.name == "decisions":
            cited += _CITED_IN_A_RECORD.findall(text)
        dangling += [(path.name, name) for name in cited if name not in numbers and name not in records]
    assert dangling == []


def test_the_index_of_decisions_lists_each_record_once(repository: Path) -> None:
    folder = repository / "docs/decisions"
    listed = re.findall(r"\((0[\w-]+\.md)\)", (folder / "README.md").read_text())
    assert sorted(listed) == sorted(path.name for path in folder.glob("0*.md"))


def test_every_record_says_first_what_was_decided(repository: Path) -> None:
    for path in (repository / "docs/decisions").glob("0*.md"):
        (title, rest) = path.read_text().split("\n\n", 1)
        assert title.startswith(f"# {path.name[:4]}. "), path.name
        assert rest.startswith("In short: "), path.name
