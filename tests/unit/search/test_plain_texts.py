"""Texts of ASCII are read token by token, with the answers of reading them as a whole."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.platform.embedder.word_pieces import WordPieces
from almanac.search.analysis.plain_texts import PIECE_BYTES, PlainTexts
from almanac.search.analysis.words import split_names, terms_of

_LETTERS = "abcdeABCDE019"
_SIGNS = "_'.-/(){}[]<>=,;:!?*\"`#@&|~^%$+\\"
_VOCABULARY = [
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *"abcde019",
    *(f"##{each}" for each in "abcde019"),
    *_SIGNS,
    "ab",
    "##cd",
    "don",
]
_WORD_PIECES = WordPieces(_VOCABULARY)
_IS_KEPT = [each[-1].isalnum() for each in _VOCABULARY]
_plain = st.text(_LETTERS + _SIGNS + " \t\n\r", max_size=80)


def _unpack(packed: bytes) -> list[int]:
    return [int.from_bytes(packed[at : at + PIECE_BYTES], "little") for at in range(0, len(packed), PIECE_BYTES)]


@pytest.mark.parametrize("apart", [False, True])
@given(text=_plain)
def test_a_text_is_the_sum_of_its_tokens(apart: bool, text: str):
    def pieces(some: str) -> list[int]:
        return _WORD_PIECES.pieces(split_names(some) if apart else some)

    read = PlainTexts(pieces, _IS_KEPT).read(text)
    assert read is not None
    assert read.terms == Counter(terms_of(text))
    assert _unpack(read.pieces) == pieces(text)
    assert _unpack(read.kept) == [each for each in pieces(text) if _IS_KEPT[each]]


@pytest.mark.parametrize("text", ["caf\u00e9", "a\x0cb", "a\x1fb", "a\x00b", "a" * 5000])
def test_what_is_more_than_its_tokens_is_read_as_a_whole(text: str):
    assert PlainTexts(_WORD_PIECES.pieces, _IS_KEPT).read(text) is None
