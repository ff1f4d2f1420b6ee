"""Test that vectors of one bit per dimension rank nearly like those of floats."""

import numpy as np
import pytest

from almanac.platform.embedder.bits import bit_similarity, bits_of
from almanac.platform.embedder.minilm import MiniLm

RANDOM = np.random.default_rng(7).standard_normal((1500, 384)).astype(np.float32)


def test_a_piece_takes_48_bytes():
    bits = bits_of(RANDOM[:3])
    assert (bits.shape, bits.dtype) == ((3, 48), np.uint8)
    assert bits_of(RANDOM[:0]).shape == (0, 48)


def test_the_first_dimension_is_the_highest_bit_and_zero_counts_as_positive():
    assert bits_of(np.array([[1, -1, 0, -0.5, 2, -3, -4, -5]], np.float32)).tolist() == [[0b10101000]]


def test_a_similarity_is_the_cosine_with_the_signs():
    question, others = RANDOM[:4], RANDOM[4:]
    signs = np.where(others >= 0, 1, -1)
    cosines = (question / np.linalg.norm(question, axis=1, keepdims=True)) @ signs.T / np.sqrt(384)
    found = bit_similarity(question, bits_of(others))
    assert (found.shape, found.dtype) == ((4, 1496), np.float32)
    assert np.allclose(found, cosines, atol=1e-5)


def test_the_length_of_a_question_does_not_matter_and_nothing_is_like_nothing():
    bits = bits_of(RANDOM[:9])
    assert np.allclose(bit_similarity(RANDOM[:2] * 100, bits), bit_similarity(RANDOM[:2], bits), atol=1e-6)
    assert not bit_similarity(np.zeros((1, 384), np.float32), bits).any()


def test_no_pieces_on_either_side_are_no_similarities():
    assert bit_similarity(RANDOM[:0], bits_of(RANDOM[:2])).shape == (0, 2)
    assert bit_similarity(RANDOM[:2], bits_of(RANDOM[:0])).shape == (2, 0)


@pytest.mark.parametrize(("question", "piece"), [("Where is the puppy?", "dog"), ("Who plays the violin?", "music")])
def test_the_piece_that_a_question_means_is_most_alike_by_bits_too(minilm: MiniLm, question: str, piece: str):
    asked, told = minilm.embed([question, "our dog likes to swim while music and cars and taxes bore him"])
    assert (
        told.pieces[int(bit_similarity(asked.states, bits_of(told.states)).max(axis=0).argmax())]
        == (minilm.embed([piece])[0].pieces[0])
    )
