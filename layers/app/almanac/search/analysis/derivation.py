"""Derivation of index entries from documents, and of terms and vectors from questions."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.embedder.bits import bits_of
from almanac.search.analysis.exact_words import exact_words_of
from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.analysis.pieces import kept_pieces
from almanac.search.analysis.plain_texts import PIECE_BYTES, PlainText, PlainTexts
from almanac.search.analysis.question import read_question
from almanac.search.analysis.unit_rows import UnitRows
from almanac.search.analysis.words import split_names, terms_of
from almanac.search.port import MAX_PIECES, Context, Document, Entry, FieldContext, FieldEntry, Profile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.platform.embedder.port import ContextEmbedder, StaticEmbedder, TextReading
    from almanac.search.frame import Vector
from datetime import date, timedelta

from msgspec import Struct

from almanac.search.analysis.dates import MONTHS

EMBEDDED_CHARACTERS = 20_000
"""Number of a text's characters that are split into word pieces. Words are indexed from the whole text."""
_EPOCH = date(1970, 1, 1)


class Texts(Struct, frozen=True, kw_only=True):
    """Texts of a field.

    Words are read from `indexed`. Vectors and pieces are read from `text_to_embed`, which is `before` followed by
    `indexed`. If `apart` is true, the parts of compound names become separate words there.
    """

    indexed: str
    before: str = ""
    apart: bool = False

    @property
    def text_to_embed(self) -> str:
        whole = f"{self.before}\n{self.indexed}" if self.before else self.indexed
        cut = whole[:EMBEDDED_CHARACTERS]
        return split_names(cut) if self.apart else cut


_NAME = re.compile(r"(?<=[\w,;] )[A-Z][a-z]")
_NOTHING = PlainText({}, b"", b"")
_QUESTION_MARKS = ("?", "\uff1f")


class Deriver:
    """Derives entries, contexts and parsed questions. Without a static embedder it derives only words."""

    def __init__(self, static: "StaticEmbedder | None") -> None:
        self._static = static
        self._whole = False

    def entry(self, document: Document) -> Entry:
        text = document.text.rstrip()
        title, body = self._fields(title_of(document), text_of(document))
        return Entry(
            id=document.id,
            kind=document.kind,
            profile=document.profile,
            version=document.version,
            session=document.session,
            position=document.position,
            role=document.role,
            speaker=document.speaker,
            at=document.at,
            tags=document.tags,
            fields=document.fields,
            title=title,
            text=body,
            asks=text.endswith(_QUESTION_MARKS),
            names=len(_NAME.findall(text)) if document.profile == "talk" else 0,
            embedder=self._static.name if self._static else "",
            words=_exact_words(document),
        )

    def of_words(self, document: Document) -> Entry:
        """Return the entry without vectors."""
        return Deriver(None).entry(document)

    def count_missing_rows(self, document: Document) -> int:
        """Return how many rows the entry still needs from a table that is being made."""
        if self._static is None or self._is_whole(self._static):
            return 0
        texts = (title_of(document).text_to_embed, text_of(document).text_to_embed)
        pieces = np.unique([piece for text in texts for piece in self._static.pieces(text)]).astype(np.intp)
        return int(np.count_nonzero(~self._static.has(pieces)))

    def context(self, documents: Sequence[Document], model: "ContextEmbedder") -> list[Context]:
        """Return the contexts of documents, in their order. They are empty without a static embedder, because they
        follow its pieces."""
        texts = [each.text_to_embed for document in documents for each in (title_of(document), text_of(document))]
        fields = iter(map(self._context, model.embed(texts)))
        return [
            Context(id=each.id, profile=each.profile, version=each.version, title=next(fields), text=next(fields))
            for each in documents
        ]

    def parse_question(self, text: str, profile: Profile, model: "ContextEmbedder | None" = None) -> ParsedQuestion:
        return read_question(text, profile, self._by_piece, model)

    def _is_whole(self, static: "StaticEmbedder") -> bool:
        """Return whether the table has all its rows. From then on the pieces of texts need not be checked."""
        self._whole = self._whole or bool(static.has(np.arange(len(static.words))).all())
        return self._whole

    def _fields(self, title: Texts, text: Texts) -> tuple[FieldEntry, FieldEntry]:
        read = (self._apart if text.apart else self._together).read
        head, body = read(title.indexed), read(text.indexed)
        if head is None or body is None:
            return self._as_whole(title), self._as_whole(text)
        before = head if text.before else _NOTHING
        pieces, kept = before.pieces + body.pieces, before.kept + body.kept
        return self._field(head.terms, head.pieces, head.kept), self._field(body.terms, pieces, kept)

    def _as_whole(self, texts: Texts) -> FieldEntry:
        pieces, kept = self._together.pieces(texts.text_to_embed)
        return self._field(Counter(terms_of(texts.indexed)), pieces, kept)

    def _field(self, terms: dict[str, int], pieces: bytes, kept: bytes) -> FieldEntry:
        length = sum(terms.values())
        if self._static is None:
            return FieldEntry(terms=terms, length=length)
        return FieldEntry(
            terms=terms,
            length=length,
            pieces=kept[: MAX_PIECES * PIECE_BYTES],
            kept=len(kept) // PIECE_BYTES,
            vector=_vector_bytes(self._static.vector(np.frombuffer(pieces, "<u2"))),
        )

    def _context(self, embedded: "TextReading") -> FieldContext:
        """Return the context of a field. It has no bits if the model has no states of pieces."""
        if self._static is None:
            return FieldContext()
        states = embedded.states[self._piece_mask[embedded.pieces]] if embedded.pieces else embedded.states
        return FieldContext(
            vector=_vector_bytes(embedded.pooled), bits=bits_of(states).tobytes() if len(states) else b""
        )

    @cached_property
    def _together(self) -> PlainTexts:
        return PlainTexts(self._pieces, self._piece_mask.tolist())

    @cached_property
    def _apart(self) -> PlainTexts:
        """Reader of texts whose compound names are split into their parts."""
        return PlainTexts(lambda text: self._pieces(split_names(text)), self._piece_mask.tolist())

    def _pieces(self, text: str) -> Sequence[int]:
        return self._static.pieces(text) if self._static else ()

    @cached_property
    def _by_piece(self) -> "tuple[StaticEmbedder, UnitRows] | None":
        """Static embedder with its unit rows, None without one. Made once, because the rows are kept."""
        return (self._static, UnitRows(self._static)) if self._static else None

    @cached_property
    def _piece_mask(self) -> "NDArray[np.bool_]":
        """Mask of the pieces that the index keeps. Made once, because it takes 10 ms for a vocabulary of 30,000
        pieces."""
        return kept_pieces(self._static.words if self._static else ())


def _exact_words(document: Document) -> tuple[str, ...]:
    """Return the exact words of a document. Talk and code have none, because exact lookup does not cover them."""
    return tuple(sorted(exact_words_of((document.title, document.text)))) if document.profile == "documents" else ()


def _vector_bytes(vector: "Vector") -> bytes:
    return vector.astype("<f2").tobytes() if vector.any() else b""


def title_of(document: Document) -> Texts:
    """Return the texts of a document's title. A turn of talk has none, because its title is indexed with its text."""
    if document.profile == "talk":
        return Texts(indexed="")
    return Texts(indexed=document.title, apart=document.profile == "code")


def text_of(document: Document) -> Texts:
    """Return the texts that are indexed and embedded for a document's body.

    Talk is indexed as "[08 May 2023] Caroline: text", because questions ask by speaker and date. Other bodies are
    embedded with their title before them, since a body seldom names its own subject.
    """
    if document.profile == "talk":
        return Texts(indexed=_turn(document))
    return Texts(indexed=document.text, before=document.title, apart=document.profile == "code")


def _turn(document: Document) -> str:
    day = _day(document.at) if document.at else ""
    speaker = f"{document.speaker}:" if document.speaker else ""
    return " ".join(part for part in (day and f"[{day}]", speaker, document.title, document.text) if part)


def _day(at: int) -> str:
    """Return the day of an instant in UTC, such as 08 May 2023. Return "" if it is beyond the calendar."""
    try:
        day = _EPOCH + timedelta(milliseconds=at)
    except OverflowError:
        return ""
    return f"{day.day:02} {MONTHS[day.month - 1]} {day.year:04}"
