"""Documents and questions for indexes, as an analysis would derive them. Their words are separated by blanks."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from almanac.search.frame import Vector
from almanac.search.port import CONTEXT_BYTES, Context, Entry, FieldContext, FieldEntry, Profile, Question

DIMENSIONS = 16
CONTEXT_DIMENSIONS = 24

_BLANK = Entry(
    id="",
    kind="turn",
    profile="talk",
    version=1,
    session="",
    position=0,
    role="user",
    speaker="",
    at=0,
    tags=(),
    fields={},
    title=FieldEntry(),
    text=FieldEntry(),
    asks=False,
    names=0,
    embedder="fake",
)


def entry(id: str, text: str = "", *, title: str = "", **others: Any) -> Entry:
    return replace(_BLANK, id=id, title=field(title), text=field(text), asks=text.endswith("?"), **others)


def talk(session: str, *texts: str, version: int = 1) -> list[Entry]:
    """The turns of a session, called after it and their position."""
    return [
        entry(f"{session}-{at}", text, session=session, position=at, version=version) for at, text in enumerate(texts)
    ]


def field(text: str) -> FieldEntry:
    words = text.lower().split()
    return FieldEntry(
        terms=Counter(words),
        length=len(words),
        pieces=np.array([_number(word) for word in words[:256]], "<u2").tobytes(),
        kept=len(words),
        vector=_vector_bytes(vector_of(words, DIMENSIONS)),
    )


def context(of: Entry, text: str) -> Context:
    """Return a model's vectors of `text` for an entry. Tests pass another text for each version."""
    return Context(id=of.id, profile=of.profile, version=of.version, title=FieldContext(), text=_field_context(text))


def question(text: str, *, contextual: bool = False) -> Question:
    words = text.lower().split()
    vector = vector_of(words, DIMENSIONS)
    return Question(
        terms=tuple(dict.fromkeys(words)),
        vector=vector if vector.any() else None,
        context=vector_of(words, CONTEXT_DIMENSIONS) if contextual else None,
    )


def vector_of(words: Sequence[str], dimensions: int) -> Vector:
    """Zeros where there are no words."""
    total = np.sum([_vector(word, dimensions) for word in words], axis=0) if words else np.zeros(dimensions)
    return (total / (math.hypot(*total) or 1)).astype(np.float32)


def in_profile(profile: Profile, entries: Sequence[Entry]) -> list[Entry]:
    return [replace(each, profile=profile) for each in entries]


def _field_context(text: str) -> FieldContext:
    words = text.lower().split()
    bits = b"".join(random.Random(word).randbytes(CONTEXT_BYTES) for word in words[:256])
    return FieldContext(vector=_vector_bytes(vector_of(words, CONTEXT_DIMENSIONS)), bits=bits)


def _vector_bytes(vector: Vector) -> bytes:
    return vector.astype("<f2").tobytes() if vector.any() else b""


def _number(word: str) -> int:
    return crc32(word.encode()) & 0xFFFF


@cache
def _vector(word: str, dimensions: int) -> Vector:
    return np.random.default_rng(_number(word)).standard_normal(dimensions, np.float32)
