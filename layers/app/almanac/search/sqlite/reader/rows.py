"""Rows of an answer: the values that are read only of candidates and neighbours, and the frame made of them."""

import json
import sqlite3
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from almanac.search.fields import cosines
from almanac.search.frame import Field, Frame
from almanac.search.port import CONTEXT_BYTES, Profile, Question
from almanac.search.sqlite.files.generation import DamagedFile, damage_as_error
from almanac.search.sqlite.files.schema import PLACE_BITS
from almanac.search.sqlite.reader.blocks import Places
from almanac.search.sqlite.reader.columns import Columns, FieldColumns
from almanac.search.sqlite.reader.words import FieldPostings, Words

_TEXTS = """SELECT texts.title_pieces, texts.title_vector, contexts.title_vector, contexts.title_bits,
    texts.text_pieces, texts.text_vector, contexts.text_vector, contexts.text_bits
    FROM json_each(?) AS wanted CROSS JOIN texts ON texts.key = wanted.value
    LEFT JOIN contexts ON contexts.key = texts.key"""
_NO_PIECES = np.empty(0, np.uint16)

FieldRow = tuple[bytes, bytes, bytes | None, bytes | None]
"""Pieces, static vector, context vector and bits."""


class Rows(Struct, frozen=True):
    """The stored rows of some places, in their order."""

    places: Places
    title: list[FieldRow]
    text: list[FieldRow]


def read_rows(connection: sqlite3.Connection, number: int, places: Places) -> Rows:
    """Read the rows at these places. Raises DamagedFile if a document has lost its texts."""
    keys = (places + (number << PLACE_BITS)).tolist()
    rows = connection.execute(_TEXTS, (json.dumps(keys),)).fetchall()
    if len(rows) != len(keys):
        raise DamagedFile("Documents in the index have lost their texts.")
    return Rows(places, [row[:4] for row in rows], [row[4:] for row in rows])


def build_frame(words: Words, profile: Profile, question: Question, rows: Rows, chosen: Places) -> Frame:
    """Return the frame of `rows`. `chosen` are the places of candidates."""
    columns = words.columns
    order, session, sessions = _in_order(columns, rows.places)
    places = rows.places[order]
    title, text = columns.mean_lengths
    kernel_length = columns.arrangement.mean_kernel_length if profile == "talk" else None
    return Frame(
        ids=columns.ids_at(places),
        kinds=columns.kinds.at(places),
        versions=columns.versions[places].tolist(),
        session=session,
        sessions=sessions,
        position=columns.position[places],
        candidates=np.isin(places, chosen),
        at=columns.at[places],
        roles=columns.roles.at(places),
        speakers=columns.speakers.at(places),
        asks=columns.asks[places],
        names=columns.names[places],
        title=_field([rows.title[row] for row in order], columns.title, words, words.title, places, question),
        text=_field([rows.text[row] for row in order], columns.text, words, words.text, places, question),
        documents=columns.documents,
        title_statistics=words.statistics(words.title, title, None),
        text_statistics=words.statistics(words.text, text, kernel_length),
    )


def _in_order(columns: Columns, places: Places) -> tuple[list[int], NDArray[np.int32], list[str]]:
    """Sort places by session, position and id. Return their order, the number of each one's session, and the session
    names."""
    sessions, ids = columns.sessions.at(places), columns.ids_at(places)
    positions: list[int] = columns.position[places].tolist()
    keys = list(zip(sessions, positions, ids, strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    numbers: list[int] = []
    names: list[str] = []
    for row in order:
        # A document without a session counts as a session of its own.
        if not sessions[row] or not names or names[-1] != sessions[row]:
            names.append(sessions[row])
        numbers.append(len(names) - 1)
    return order, np.array(numbers, np.int32), names


def _field(
    rows: Sequence[FieldRow],
    field: FieldColumns,
    words: Words,
    postings: FieldPostings,
    places: Places,
    question: Question,
) -> Field:
    with damage_as_error("Pieces and vectors"):
        pieces = [np.frombuffer(row[0], "<u2") if row[0] else _NO_PIECES for row in rows]
        bits = [_bits(row[3]) for row in rows]
        similarity = cosines([row[1] for row in rows], question.vector)
        context = cosines([row[2] or b"" for row in rows], question.context)
    return Field(
        tf=words.counts(postings, places),
        length=field.length[places],
        pieces=pieces,
        kept=field.kept[places],
        bits=bits,
        similarity=similarity,
        context=context,
    )


def _bits(stored: bytes | None) -> NDArray[np.uint8] | None:
    return np.frombuffer(stored, np.uint8).reshape(-1, CONTEXT_BYTES) if stored else None
