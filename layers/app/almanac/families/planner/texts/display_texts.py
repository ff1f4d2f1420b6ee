"""Texts of items in results: cleaned, with notes about suspicious contents."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from almanac.content import quote_fields

SOURCE = "planner"


class DisplayText(NamedTuple):
    text: str
    notes: list[str] | UnsetType


class DisplayTexts(NamedTuple):
    """Cleaned texts and notes. Each note begins with the name of its field."""

    fields: Mapping[str, str]
    notes: list[str] | UnsetType

    def text(self, name: str) -> str:
        return self.fields.get(name, "")


def display_texts(source: str = SOURCE, **fields: str) -> DisplayTexts:
    """Return the texts of one item; empty ones are left out."""
    read = quote_fields({name: text for name, text in fields.items() if text}, source)
    return DisplayTexts(read.fields, list(read.notes) or UNSET)


def display_text(name: str, text: str) -> DisplayText:
    """Return one text. `name` is the name of its field."""
    read = display_texts(**{name: text})
    return DisplayText(read.text(name), read.notes)
