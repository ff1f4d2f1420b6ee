"""Test that the page about stored data follows the declarations."""

import types
from typing import Any, Literal

import msgspec
import pytest

from almanac.kernel.caller import Scope
from almanac.platform.store.records import Place, Record, Table
from tools.documents.data_model import document, kind, section


class Author(Record, frozen=True, kw_only=True):
    """Who wrote."""

    name: str


class Note(Record, frozen=True, kw_only=True):
    """What somebody keeps."""

    book: str
    number: int
    authors: tuple[Author, ...] = ()
    due: int | None = None
    tags: dict[str, int] = msgspec.field(default_factory=dict[str, int])


NOTES = Table(
    Note,
    "notes",
    partition=("book",),
    sort=("number",),
    indexes={"gsi1": Place("notes_by_due", sort=("due", "book"))},
    expires="due",
)


def _module(**members: Any) -> types.ModuleType:
    module = types.ModuleType("notes", "What is stored of notes.\n\n    P#...   Note")
    vars(module).update(members)
    return module


def test_a_table_shows_the_keys_that_it_makes():
    text = section("Notes", _module(NOTES=NOTES))

    key = NOTES.key(Scope("<tenant>", "<project>"), NOTES.own, ("<book>", "<number>"))
    assert f"| item | `{key.partition.text}` | `{key.sort}` |" in text
    assert "| gsi1 | `P#<tenant>#<project>#notes_by_due` | `<due>#<book>` |" in text
    assert "Absent from `due` on." in text


def test_a_record_shows_its_fields_with_types_and_defaults():
    text = section("Notes", _module(NOTES=NOTES))

    assert "What somebody keeps." in text
    assert "| `number` | whole number |  |" in text
    assert "| `authors` | list of Author | `[]` |" in text
    assert "| `due` | whole number or none | `null` |" in text
    assert "| `tags` | map of text to whole number | empty |" in text


def test_what_a_record_holds_is_described_beside_it():
    text = section("Notes", _module(NOTES=NOTES))

    assert "### Author\n\nWho wrote." in text


def test_the_layout_in_a_docstring_stays_a_block():
    assert "\n    P#...   Note\n" in section("Notes", _module(NOTES=NOTES))


TYPES: list[tuple[Any, str]] = [
    (str | None, "text or none"),
    (Literal["a", "b"], "`a` or `b`"),
    (list[bytes], "list of bytes"),
    (dict[str, Author | None], "map of text to Author or none"),
    (float, "number"),
    (bool, "flag"),
]


@pytest.mark.parametrize(("type_", "said"), TYPES)
def test_types_are_said_in_words(type_: Any, said: str):
    assert kind(type_) == said


def test_the_page_has_what_the_whole_installation_shares():
    page = document()

    for record in ("Tenant", "Project", "KeyRecord", "AuditEntry"):
        assert f"### {record}\n" in page
    assert "| item | `T#<tenant>#audit` | `<id>` |" in page
    assert page == document()
