"""Parser of questions, which finds their terms and pieces and the people, names and dates in them."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from almanac.search.analysis.dates import dates_in
from almanac.search.analysis.parsed_question import ParsedQuestion, QuestionPieces
from almanac.search.analysis.pieces import is_special, words_of_pieces
from almanac.search.analysis.short_forms import other_forms
from almanac.search.analysis.stems import stem
from almanac.search.analysis.stop_words import NAME_WORDS, QUESTION_WORDS
from almanac.search.analysis.unit_rows import UnitRows, unit
from almanac.search.analysis.words import compounds_of, fold, question_terms, split_names
from almanac.search.port import MAX_PIECES, Profile, Question

if TYPE_CHECKING:
    from almanac.platform.embedder.port import ContextEmbedder, StaticEmbedder
    from almanac.search.frame import Matrix, Vector

MAX_CHARACTERS = 4000
MAX_TERMS = 100

_WORD = re.compile(r"[^\W_]+")
_WEAK = 0.1


def read_question(
    text: str, profile: Profile, static: "tuple[StaticEmbedder, UnitRows] | None", model: "ContextEmbedder | None"
) -> ParsedQuestion:
    """Parse a question.

    Only the first 4000 characters and the first 100 distinct terms count. A model is only used together with the static
    embedder, whose pieces it shares.
    """
    text = text[:MAX_CHARACTERS]
    words = frozenset(_WORD.findall(fold(text).lower()))
    terms = question_terms(text, MAX_TERMS)
    compounds = frozenset(compounds_of(text))
    parsed = ParsedQuestion(
        profile=profile,
        question=Question(terms=tuple(terms)),
        forms=tuple(
            (place, form) for place, term in enumerate(terms) for form in other_forms(term) if form not in terms
        ),
        words=words,
        compounds=tuple(place for place, term in enumerate(terms) if term in compounds),
        dates=dates_in(text),
        asks_name=not NAME_WORDS.isdisjoint(words),
    )
    return (
        parsed
        if static is None
        else _with_meaning(parsed, split_names(text) if profile == "code" else text, *static, model)
    )


def _with_meaning(
    parsed: ParsedQuestion, text: str, static: "StaticEmbedder", rows: UnitRows, model: "ContextEmbedder | None"
) -> ParsedQuestion:
    pieces = static.pieces(text)[:MAX_PIECES]
    vector, terms = static.vector(pieces), parsed.question.terms
    embedded = model.embed([text])[0] if model else None
    context = embedded.pooled if embedded else None

    def texts_of(ids: Sequence[int]) -> list[str]:
        return [static.words[each] for each in ids]

    return replace(
        parsed,
        question=Question(terms=terms, vector=_unless_zero(vector), context=_unless_zero(context)),
        pieces=_question_pieces(texts_of(pieces), rows.of(np.asarray(pieces, dtype=np.intp)), terms),
        rows=rows,
        states=_question_pieces(texts_of(embedded.pieces), embedded.states, terms) if embedded else None,
    )


def _unless_zero(vector: "Vector | None") -> "Vector | None":
    return vector if vector is not None and vector.any() else None


def _question_pieces(texts: Sequence[str], vectors: "Matrix", terms: Sequence[str]) -> QuestionPieces | None:
    words = list(words_of_pieces(texts))
    read = [place for place, text in enumerate(texts) if not is_special(text)]
    if not read:
        return None
    places = {term: place for place, term in enumerate(terms)}
    return QuestionPieces(
        texts=[texts[each] for each in read],
        vectors=unit(vectors[read]),
        terms=np.array([places.get(stem(words[each]), -1) for each in read]),
        factors=np.array([_WEAK if _is_weak(texts[each]) else 1.0 for each in read], dtype=np.float32),
    )


def _is_weak(piece: str) -> bool:
    """Return whether a piece is a question word, a sign or a lone letter."""
    lone = len(piece) == 1 and piece.isascii() and not piece.isdigit()
    return lone or piece in QUESTION_WORDS or not any(map(str.isalnum, piece))
