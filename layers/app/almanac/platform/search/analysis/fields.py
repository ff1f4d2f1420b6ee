"""The texts of a document's two fields as they are indexed and embedded."""

from datetime import date, timedelta

from msgspec import Struct

from almanac.platform.search.analysis.dates import MONTHS
from almanac.platform.search.analysis.words import spaced
from almanac.platform.search.port import Document

EMBEDDED_CHARACTERS = 20_000
"""Of a text that word pieces are made of; all of it counts as words."""

_EPOCH = date(1970, 1, 1)


class Texts(Struct, frozen=True, kw_only=True):
    """`indexed` is read for words, and with `before` before it for meaning, for which the parts of names are words of
    their own where it says `apart`."""

    indexed: str
    before: str = ""
    apart: bool = False

    @property
    def embedded(self) -> str:
        whole = f"{self.before}\n{self.indexed}" if self.before else self.indexed
        cut = whole[:EMBEDDED_CHARACTERS]
        return spaced(cut) if self.apart else cut


def title_of(document: Document) -> Texts:
    """A turn of talk has no title of its own: it stands in its text."""
    if document.profile == "talk":
        return Texts(indexed="")
    return Texts(indexed=document.title, apart=document.profile == "code")


def text_of(document: Document) -> Texts:
    """Of talk "[08 May 2023] Caroline: text": who and when are what questions ask by. Meaning is read with the title
    before it, since a body seldom says what it is the body of."""
    if document.profile == "talk":
        return Texts(indexed=_turn(document))
    return Texts(indexed=document.text, before=document.title, apart=document.profile == "code")


def _turn(document: Document) -> str:
    day = _day(document.at) if document.at else ""
    speaker = f"{document.speaker}:" if document.speaker else ""
    return " ".join(part for part in (day and f"[{day}]", speaker, document.title, document.text) if part)


def _day(at: int) -> str:
    """The day of an instant in UTC, such as 08 May 2023; "" where no calendar has it."""
    try:
        day = _EPOCH + timedelta(milliseconds=at)
    except OverflowError:
        return ""
    return f"{day.day:02} {MONTHS[day.month - 1]} {day.year:04}"
