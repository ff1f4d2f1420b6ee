"""Quotable passages of hits: speaker, time, and a text without characters that could end its quotation."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import clean
from almanac.families.memory.core.records import Kind, Turn
from almanac.families.memory.core.records import Memory as MemoryRecord
from almanac.kernel.instants import instant_at
from almanac.search.port import Document

if TYPE_CHECKING:
    from almanac.families.memory.candidates.current_statements import CurrentStatement

DocumentKind = Literal["note", "journal", "card", "event"]
PassageKind = Kind | Literal["fact"] | DocumentKind
NAME_CHARACTERS = 80
_NAME = re.compile(r"[\w.'@-]{1,40}(?: [\w.'@-]{1,40}){0,3}")
_QUESTION_MARKS = ("?", "\uff1f")
_QUOTABLE = str.maketrans({'"': "'", "\u201c": "'", "\u201d": "'", "[": "(", "]": ")"})
_MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_BY_ROLE = {
    "user": "the user said",
    "assistant": "the assistant said",
    "tool": "a tool reported",
    "system": "the system said",
    "agent": "an agent said",
    "event": "an event said",
}
_BY_KIND: Mapping[PassageKind, str] = {
    "turn": "somebody said",
    "pinned": "it was pinned",
    "semantic": "it was noted",
    "consolidated": "a summary said",
    "reflection": "a reflection said",
    "fact": "it was recorded that",
    "note": "a note said",
    "journal": "the journal said",
    "card": "a card said",
    "event": "the calendar said",
}


class Passage(Struct, frozen=True, kw_only=True):
    """A quotable turn, memory, fact, or document of another family. `similarity` is the similarity of its hit.

    `speaker` is "" if the record names no speaker. `author` identifies the author, but is not for display."""

    id: str
    kind: PassageKind
    text: str
    at: int
    similarity: float
    speaker: str = ""
    author: str = ""
    role: str = ""
    session: str = ""
    position: int = 0

    @property
    def is_question(self) -> bool:
        return self.text.endswith(_QUESTION_MARKS)

    @property
    def attribution(self) -> str:
        """Return the attribution of the passage, as the beginning of a sentence."""
        if self.speaker:
            return f"{self.speaker} said" if _is_name(self.speaker) else "somebody said"
        return _BY_ROLE.get(self.role) or _BY_KIND[self.kind]

    def follows(self, other: "Passage") -> bool:
        """Return whether this passage comes right behind the other one in the same session."""
        return bool(self.session) and (self.session, self.position - 1) == (other.session, other.position)


FindLater = Callable[[Passage, str], Sequence[Passage]]
"""Returns later passages that say something else than a quoted sentence of a passage."""


def passage_of(record: Turn | MemoryRecord, similarity: float, characters: int) -> Passage:
    """Return a passage of the first `characters` of a record."""
    text = clean(record.content[:characters]).text.strip()
    if isinstance(record, Turn):
        speaker = quotable(record.speaker or "")[:NAME_CHARACTERS].strip()
        return Passage(
            id=record.id,
            kind="turn",
            text=text,
            at=record.at,
            similarity=similarity,
            speaker=speaker,
            author=speaker.casefold() or f"{record.role} {record.actor}",
            role=record.role,
            session=record.session or "",
            position=record.position or 0,
        )
    return Passage(
        id=record.id, kind=record.kind, text=text, at=record.at, similarity=similarity, author=f"memory {record.actor}"
    )


def passage_of_turn(turn: Turn, text: str) -> Passage:
    """Return a passage of a turn with `text` in place of its content."""
    return replace(passage_of(turn, 0.0, 0), text=clean(text).text.strip())


def passage_of_statement(statement: "CurrentStatement") -> Passage:
    """Return a passage of a statement, under the id of its turn."""
    speaker = quotable(statement.speaker or "")[:NAME_CHARACTERS].strip()
    return Passage(
        id=statement.turn,
        kind="turn",
        text=clean(statement.text).text.strip(),
        at=statement.at,
        similarity=0.0,
        speaker=speaker,
        author=speaker.casefold() or statement.role,
        role=statement.role,
        session=statement.session or "",
    )


def passage_of_document(document: Document, kind: DocumentKind, similarity: float, characters: int) -> Passage:
    """Return a passage of a document's title and text, cut to `characters` together."""
    title = document.title.strip()
    titled_text = f"{title}: {document.text}" if title and not document.text.startswith(title) else document.text
    return Passage(
        id=document.known_as or document.id,
        kind=kind,
        text=clean(titled_text[:characters]).text.strip(),
        at=document.at,
        similarity=similarity,
        author=f"{kind} {document.id}",
    )


def _is_name(speaker: str) -> bool:
    """Return whether a name may appear outside a quotation: it has at most four words and commands no model."""
    from almanac.content import judge  # noqa: PLC0415 - imported for the first name

    return _NAME.fullmatch(speaker) is not None and not judge(speaker).findings


def quotable(text: str) -> str:
    """Return the text on one line, without characters that end a quotation or begin a citation."""
    return " ".join(clean(text).text.translate(_QUOTABLE).split())


def day_of(at: int, zone: tzinfo) -> str:
    """Return the local day of an instant, such as 3 May 2026."""
    local = instant_at(at).astimezone(zone)
    return f"{local.day} {_MONTHS[local.month - 1]} {local.year}"
