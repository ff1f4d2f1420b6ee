"""README and the guide: their commands, links and picture are true."""

import re
import shlex
from pathlib import Path

import click
import pytest

from almanac.composition.families import families_for_docs
from almanac.local.cli import cli
from tools.readme_picture import PICTURE, picture

PAGES = ("README.md", "CONTRIBUTING.md", "STYLE.md", "docs/using.md")
MOST_LINES = 120
_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
_PROGRAM = re.compile(r"(?:^ {4,}\.venv/bin/|`)almanac ([a-z]+)", re.MULTILINE)
_TARGET = re.compile(r"(?:^ {4,}|`)make ([a-z0-9-]+)", re.MULTILINE)


def test_the_picture_shows_what_the_tools_answer_today() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "run python -m tools.readme_picture"


def test_readme_fits_on_two_screens(repository: Path) -> None:
    assert len((repository / "README.md").read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(repository: Path, page: str) -> None:
    text = (repository / page).read_text()
    links = [link for link in _LINK.findall(text) if not link.startswith("https://")]

    assert [link for link in links if not (repository / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_command_exists(repository: Path, page: str) -> None:
    text = (repository / page).read_text()
    named = set(_PROGRAM.findall(text))
    targets = set(_TARGET.findall(text))
    rules = (repository / "Makefile").read_text()

    assert named <= set(cli.list_commands(click.Context(cli)))
    assert [target for target in targets if f"\n{target}:" not in rules] == []


def test_the_call_of_the_first_five_minutes_has_arguments_that_the_tool_takes(repository: Path) -> None:
    (line,) = re.findall(r"almanac call (.*)", (repository / "README.md").read_text())
    name, *arguments = shlex.split(line)
    (tool,) = [tool for family in families_for_docs() for tool in family.tools if tool.name == name]

    assert {argument.partition("=")[0] for argument in arguments} <= set(tool.input_schema["properties"])


def test_every_family_is_introduced(repository: Path) -> None:
    text = (repository / "README.md").read_text()

    assert [family.name for family in families_for_docs() if f"docs/tools/{family.name}.md" not in text] == []
