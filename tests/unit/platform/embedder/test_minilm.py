"""Test that the model agrees with its authors' code, for single texts and for batches."""

import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.platform.embedder.bert import gelu
from almanac.platform.embedder.eight_bits import in_eight_bits
from almanac.platform.embedder.minilm import MiniLm
from almanac.platform.embedder.packaged_model import WEIGHTS
from almanac.platform.embedder.port import MOST_PIECES
from almanac.platform.embedder.safetensors import read_tensors, write_tensors
from almanac.platform.embedder.word_pieces import WordPieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tensors = Mapping[str, NDArray[Any]]

HAPPY = "That is a happy person"
TEXTS = ["", "A cat.", "Two dogs ran past the old station.", "?", "naïve 東京 ok", "A cat.", "one two three " * 40]


@pytest.mark.parametrize(
    ("text", "other", "cosine"),
    [
        # As the documentation of sentence-transformers shows them for this model.
        (HAPPY, "That is a happy dog", 0.6945773),
        (HAPPY, "That is a very happy person", 0.9429150),
        (HAPPY, "Today is a sunny day", 0.2568760),
    ],
)
def test_texts_are_as_alike_as_the_authors_say(minilm: MiniLm, text: str, other: str, cosine: float):
    one, two = minilm.embed([text, other])
    assert float(one.pooled @ two.pooled) == pytest.approx(cosine, abs=1e-5)


def test_states_are_those_of_the_formulas_written_out_in_full_precision(
    minilm: MiniLm, model: Path, word_pieces: WordPieces
):
    tensors = {name: each.astype(np.float64) for name, each in read_tensors(model / WEIGHTS).items()}
    for text, embedded in zip(TEXTS[1:3], minilm.embed(TEXTS[1:3]), strict=True):
        pieces = word_pieces.pieces(text)
        states = _bert(tensors, [word_pieces.first, *pieces, word_pieces.last])
        pooled = states.mean(axis=0)
        assert embedded.pieces == pieces
        assert np.allclose(embedded.states, states[1:-1], atol=2e-5)
        assert np.allclose(embedded.pooled, pooled / np.linalg.norm(pooled), atol=1e-6)


def test_a_text_is_embedded_the_same_in_any_company(minilm: MiniLm):
    together = minilm.embed(TEXTS)
    for text, embedded in zip(TEXTS, together, strict=True):
        (alone,) = minilm.embed([text])
        assert embedded.pieces == alone.pieces
        assert np.allclose(embedded.states, alone.states, atol=1e-4)
        assert np.allclose(embedded.pooled, alone.pooled, atol=1e-5)


def test_vectors_have_length_one_and_a_text_without_words_has_none(minilm: MiniLm):
    assert minilm.embed([]) == []
    empty, cat, *_ = minilm.embed(TEXTS)
    assert (empty.pieces, empty.states.shape, empty.pooled.any()) == ([], (0, 384), False)
    assert (cat.states.shape, cat.states.dtype, cat.pooled.dtype) == ((3, 384), np.float32, np.float32)
    assert float(np.linalg.norm(cat.pooled)) == pytest.approx(1, abs=1e-6)


def test_a_long_text_is_read_to_its_256th_piece(minilm: MiniLm):
    long, as_long = minilm.embed(["word " * 1000, "word " * MOST_PIECES])
    assert len(long.pieces) == len(long.states) == MOST_PIECES
    assert np.array_equal(long.pooled, as_long.pooled)


def test_many_texts_come_back_in_their_order(minilm: MiniLm):
    texts = [f"{'very ' * length}good" for length in range(40)]
    shuffled = random.Random(7).sample(texts, len(texts))
    assert [len(each.pieces) for each in minilm.embed(shuffled)] == [text.count(" ") + 1 for text in shuffled]


def _half(tensors: "Tensors") -> "Tensors":
    return {name: each.astype(np.float16) for name, each in tensors.items()}


def _eight(tensors: "Tensors") -> "Tensors":
    return {kept: part for name, each in tensors.items() for kept, part in in_eight_bits(name, each).items()}


@pytest.mark.parametrize(("fewer_bits", "cosine", "equal"), [(_half, 0.9999, 0.99), (_eight, 0.995, 0.97)])
def test_weights_in_fewer_bits_say_nearly_the_same(
    fewer_bits: "Callable[[Tensors], Tensors]",
    cosine: float,
    equal: float,
    minilm: MiniLm,
    model: Path,
    word_pieces: WordPieces,
    tmp_path: Path,
):
    with (tmp_path / WEIGHTS).open("wb") as file:
        write_tensors(file, fewer_bits(read_tensors(model / WEIGHTS)))
    small = MiniLm(read_tensors(tmp_path / WEIGHTS), word_pieces)
    for whole, less in zip(minilm.embed(TEXTS[1:]), small.embed(TEXTS[1:]), strict=True):
        assert float(whole.pooled @ less.pooled) > cosine
        assert np.mean((whole.states < 0) == (less.states < 0)) > equal


@given(values=st.lists(st.floats(-1e4, 1e4, width=32), min_size=1))
@settings(max_examples=50)
def test_the_activation_is_x_times_the_normal_distribution(values: list[float]):
    assert gelu(np.array([values], np.float32))[0] == pytest.approx(list(map(_activation, values)), rel=1e-6, abs=5e-7)


def test_the_activation_treats_every_row_of_many():
    values = np.random.default_rng(7).standard_normal((100, 5)).astype(np.float32)
    assert np.array_equal(gelu(values.copy()), np.concatenate([gelu(row.copy()[None]) for row in values]))


def _activation(x: float) -> float:
    return x * math.erfc(-x / math.sqrt(2)) / 2


def _bert(tensors: "Tensors", ids: list[int]) -> "NDArray[np.float64]":
    """Devlin et al. 2018, one text, no attention to speed."""

    def dense(states: Any, name: str) -> Any:
        return states @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def norm(states: Any, name: str) -> Any:
        centred = states - states.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    def head(states: Any, layer: str, number: int) -> Any:
        own = slice(32 * number, 32 * number + 32)
        names = (f"{layer}.attention.self.{part}" for part in ("query", "key", "value"))
        query, key, value = (dense(states, name)[:, own] for name in names)
        weights = np.exp(query @ key.T / math.sqrt(32))
        return weights / weights.sum(axis=1, keepdims=True) @ value

    activation = np.vectorize(_activation)
    states = tensors["embeddings.word_embeddings.weight"][ids]
    states = states + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    states = norm(states + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        heads = np.concatenate([head(states, layer, number) for number in range(12)], axis=1)
        states = norm(dense(heads, f"{layer}.attention.output.dense") + states, f"{layer}.attention.output.LayerNorm")
        wide = activation(dense(states, f"{layer}.intermediate.dense"))
        states = norm(dense(wide, f"{layer}.output.dense") + states, f"{layer}.output.LayerNorm")
    return states
