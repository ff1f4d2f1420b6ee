"""Front matter as a client's YAML reader has it: whole SKILL.md in, the entry's frontmatter out."""

from pathlib import Path
from typing import Any

import pytest

from almanac.families.skills.mcp_resources.frontmatter import core_value
from almanac.protocol.skills import META
from tests.doubles.skill_server import SkillServer, open_store, skill_md


@pytest.fixture
def server(tmp_path: Path) -> SkillServer:
    return SkillServer(open_store(tmp_path))


def _frontmatter(server: SkillServer, more: str) -> dict[str, Any]:
    server.install(skill_md("pdf", more=more))
    return server.result("skills/get", uri="skill://pdf/SKILL.md")["skill"]["frontmatter"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("", None),
        ("~", None),
        ("null", None),
        ("12", 12),
        ("-7", -7),
        ("+7", 7),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1.5", 1.5),
        ("1.10", 1.1),
        (".5", 0.5),
        ("1.", 1.0),
        ("6e3", 6000.0),
        ("1.2.3", "1.2.3"),
        ("1e999", "1e999"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("2026-01-31", "2026-01-31"),
        ("9007199254740993", 9007199254740992.0),
        ("9" * 400, "9" * 400),
        ("\uff11\uff12", "\uff11\uff12"),
        ("12\n", "12\n"),
        ("words", "words"),
    ],
)
def test_a_value_without_quotes_is_what_the_core_schema_says(text: str, value: object) -> None:
    made = core_value(text)
    assert (made, type(made)) == (value, type(value))


def test_numbers_and_truths_are_typed_and_quoted_ones_stay_text(server: SkillServer) -> None:
    more = (
        "version: 1.10\nquoted: '1.10'\ndouble: \"true\"\nflag: true\nnothing:\nblock: |\n  12\n"
        "metadata:\n  count: 3\n  on: yes\n  12: twelve\nlist:\n  - 1\n  - one\n  - [true, 'true']\n"
    )
    assert _frontmatter(server, more) == {
        "name": "pdf",
        "description": "What it does.",
        "version": 1.1,
        "quoted": "1.10",
        "double": "true",
        "flag": True,
        "nothing": None,
        "block": "12\n",
        "metadata": {"count": 3, "on": "yes", "12": "twelve"},
        "list": [1, "one", [True, "true"]],
    }


def test_a_valid_skill_is_typed_too(server: SkillServer) -> None:
    typed = _frontmatter(server, "metadata:\n  version: 2.0\n  author: ann\n")
    assert typed["metadata"] == {"version": 2.0, "author": "ann"}


def test_fields_keep_their_order_and_vendors_theirs(server: SkillServer) -> None:
    typed = _frontmatter(server, "zeta: z\nx-vendor:\n  b: '1'\n  a: '2'\nalpha: a\n")
    assert list(typed) == ["name", "description", "zeta", "x-vendor", "alpha"]
    assert list(typed["x-vendor"]) == ["b", "a"]


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: pdf\ndescription: use when: asked\n---\nBody\n",  # no YAML as a whole
        "---\ndescription: No name.\n---\nBody\n",
        "---\nname: PDF\ndescription: In capitals.\n---\nBody\n",
        "---\nname: 123\ndescription: A number.\n---\nBody\n",
        "---\nname: pdf\ndescription: 12\n---\nBody\n",
        "---\nname: pdf\ndescription: true\n---\nBody\n",
        "---\nname: pdf\ndescription: &a text\nother: *a\n---\nBody\n",
    ],
)
def test_what_a_client_would_not_read_as_it_is_named_is_not_served(server: SkillServer, text: str) -> None:
    version = server.install(text)
    page = server.result("skills/list")
    assert (page["skills"], page["_meta"][META + "notServed"]) == ([], [version.name])
    code, message = server.error_of("skills/get", uri=f"skill://{version.name.lower()}/SKILL.md")
    assert code == -32602
    assert "get_skill" in message or version.name == "PDF"
