"""Texts are cut as the `tokenizers` package cuts them, in time linear in their length."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from almanac.platform.embedder.characters import words_of
from almanac.platform.embedder.word_pieces import LONGEST_WORD, WordPieces
from tests.cpu_time import takes_under

CLS = 101
UNKNOWN = 100


def _is_in_both_editions(character: str) -> bool:
    """Return whether the character is the same in both editions of Unicode.

    Combining marks that change places when they meet are left out.
    """
    category = unicodedata.category(character)
    known = category == unicodedata.ucd_3_2_0.category(character) not in {"Cn", "Cs"}
    return known and not (category == "Mc" and unicodedata.combining(character))


CHARACTERS = [each for each in map(chr, range(sys.maxunicode + 1)) if _is_in_both_editions(each)]
WORDS = st.sampled_from(
    ["Hello", "NAÏVE", "unaffable", "東京", "x" * 101, "don't", "C++", "2023-05-08", "\U0001f600", "[UNK]"]
)
TEXTS = st.lists(st.text(st.sampled_from(CHARACTERS), max_size=8) | WORDS | st.sampled_from([" ", "\t", "##"])).map(
    "".join
)


@pytest.fixture(scope="module")
def oracle(word_pieces: WordPieces) -> Tokenizer:
    """BERT's uncased tokenizer, without the specials that it would read out of a text."""
    known = {word: at for at, word in enumerate(word_pieces.words)}
    tokenizer = Tokenizer(models.WordPiece(known, unk_token="[UNK]", max_input_chars_per_word=LONGEST_WORD))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@given(text=TEXTS)
def test_any_text_is_cut_as_the_other_implementation_cuts_it(word_pieces: WordPieces, oracle: Tokenizer, text: str):
    assert word_pieces.pieces(text) == oracle.encode(text, add_special_tokens=False).ids


@pytest.mark.slow
def test_every_character_is_read_as_the_other_implementation_reads_it():
    normalizer, parts = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    text = " ".join(f"x{each}x" for each in CHARACTERS)
    assert len(CHARACTERS) > 80_000
    assert words_of(text) == [word for word, _ in parts.pre_tokenize_str(normalizer.normalize_str(text))]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Unaffable CAFÉ", ["una", "##ffa", "##ble", "cafe"]),
        ("東京都 3.6!", ["東", "京", "都", "3", ".", "6", "!"]),
        ("rm -rf C++ a_b", ["rm", "-", "rf", "c", "+", "+", "a", "_", "b"]),
        ("[CLS] [MASK]", ["[", "cl", "##s", "]", "[", "mask", "]"]),
        ("a\u200bb\x00c\ufffd", ["abc"]),
        ("", []),
        ("\ud800", []),
    ],
)
def test_odd_texts_fall_into_these_pieces(word_pieces: WordPieces, text: str, pieces: list[str]):
    assert [word_pieces.words[each] for each in word_pieces.pieces(text)] == pieces


def test_a_word_of_more_than_a_hundred_characters_is_unknown(word_pieces: WordPieces):
    assert UNKNOWN not in word_pieces.pieces("a" * LONGEST_WORD)
    assert word_pieces.pieces("a" * (LONGEST_WORD + 1)) == [UNKNOWN]


def test_a_word_is_unknown_as_a_whole_where_a_part_of_it_is(word_pieces: WordPieces):
    assert word_pieces.pieces("table table\u16a0 table") == [
        word_pieces.pieces("table")[0],
        UNKNOWN,
        *word_pieces.pieces("table"),
    ]


def test_what_was_cut_before_is_cut_the_same_again(word_pieces: WordPieces):
    first = word_pieces.pieces("unaffable")
    first.append(CLS)
    assert word_pieces.pieces("unaffable") == first[:-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "\u0301" * 1_000_000,
        # Marks of different classes, which a normalisation of the whole text sorts in quadratic time.
        "a" + "\U0001d165\u302e" * 300_000,
        ("qzx" * 33 + " ") * 5_000,
        "".join(map(chr, range(0x20000))),
    ],
    ids=["one word", "accents", "marks", "rare words", "every character"],
)
def test_no_text_takes_more_time_than_its_length(word_pieces: WordPieces, text: str):
    assert len(word_pieces.pieces(text)) <= len(text)
    assert takes_under(10, lambda: word_pieces.pieces(text))
