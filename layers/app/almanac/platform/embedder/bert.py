"""The layers of a BERT model in numpy, and reading them from tensors.

Texts of a batch are not padded. Their pieces are concatenated, and only attention treats the texts separately.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from almanac.platform.embedder.eight_bits import floats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from almanac.platform.embedder.safetensors import Tensor

    Floats = NDArray[np.float32]


_HEADS = 12
_TINY = np.float32(1e-12)


class Dense(Struct, frozen=True, eq=False):
    """A dense layer. `weight` is inputs x outputs."""

    weight: "Floats"
    bias: "Floats"

    def __call__(self, inputs: "Floats") -> "Floats":
        outputs = inputs @ self.weight
        outputs += self.bias
        return outputs


class Norm(Struct, frozen=True, eq=False):
    weight: "Floats"
    bias: "Floats"

    def __call__(self, inputs: "Floats") -> "Floats":
        """Normalize `inputs` in place."""
        inputs -= inputs.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", inputs, inputs)[:, None] / np.float32(inputs.shape[1])
        inputs /= np.sqrt(variance + _TINY)
        inputs *= self.weight
        inputs += self.bias
        return inputs


class Layer(Struct, frozen=True, eq=False):
    question_key_value: Dense
    attended: Dense
    attended_norm: Norm
    wide: Dense
    narrow: Dense
    norm: Norm

    def __call__(self, states: "Floats", groups: Sequence[tuple[int, int]]) -> "Floats":
        """Apply the layer. `states` are pieces x dimensions. `groups` are runs of texts: (number of texts, pieces
        each).
        """
        attention = _attention(self.question_key_value(states), groups)
        states = self.attended_norm(self.attended(attention) + states)
        return self.norm(self.narrow(gelu(self.wide(states))) + states)


class Reader:
    """Reads parts of a network by their names, and converts all numbers to single precision."""

    def __init__(self, tensors: "Mapping[str, Tensor]") -> None:
        self._tensors = tensors

    def array(self, name: str) -> "Floats":
        return floats(self._tensors, name)

    def norm(self, name: str) -> Norm:
        return Norm(self.array(f"{name}.weight"), self.array(f"{name}.bias"))

    def dense(self, *names: str) -> Dense:
        """Read dense layers that share an input, and join them into one."""
        weight = np.concatenate([self.array(f"{name}.weight").T for name in names], axis=1)
        bias = np.concatenate([self.array(f"{name}.bias") for name in names])
        # For short texts, this is a third faster than a transposed view of the file.
        return Dense(np.ascontiguousarray(weight), bias)

    def layers(self) -> list[Layer]:
        count = sum(name.endswith(".attention.self.query.weight") for name in self._tensors)
        return [self._layer(f"encoder.layer.{number}") for number in range(count)]

    def _layer(self, name: str) -> Layer:
        return Layer(
            question_key_value=self.dense(*(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
            attended=self.dense(f"{name}.attention.output.dense"),
            attended_norm=self.norm(f"{name}.attention.output.LayerNorm"),
            wide=self.dense(f"{name}.intermediate.dense"),
            narrow=self.dense(f"{name}.output.dense"),
            norm=self.norm(f"{name}.output.LayerNorm"),
        )


def _attention(question_key_value: "Floats", groups: Sequence[tuple[int, int]]) -> "Floats":
    """Return the attention of each text to itself: pieces x dimensions, from pieces x (3 * dimensions)."""
    attention = np.empty((len(question_key_value), question_key_value.shape[1] // 3), np.float32)
    at = 0
    for texts, length in groups:
        end = at + texts * length
        heads = question_key_value[at:end].reshape(texts, length, 3, _HEADS, -1)
        question, key, value = heads.transpose(2, 0, 3, 1, 4)
        scale = np.float32(question.shape[-1] ** -0.5)
        weights = _softmax((question * scale) @ key.swapaxes(-1, -2))
        own = attention[at:end].reshape(texts, length, _HEADS, -1)
        own[:] = (weights @ value).swapaxes(1, 2)
        at = end
    return attention


def _softmax(scores: "Floats") -> "Floats":
    """Apply softmax over the last axis, in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


_FITTED_TO = np.float32(36)
_COEFFICIENTS = tuple(
    map(
        np.float32,
        (
            3.611253786245091e-09,
            -2.6689376054122124e-07,
            7.938234270217226e-06,
            -1.1048043003300092e-04,
            -6.62596076305652e-05,
            7.266856652227485e-02,
            1.5957684323935637,
        ),
    )
)
_ROWS_AT_ONCE = 32
"""Rows per block. A block and its intermediate results fit into the processor's cache, which is three times as fast."""


def gelu(values: "Floats") -> "Floats":
    """Apply GELU to each number of a matrix, in place."""
    with np.errstate(over="ignore"):  # far below zero the distribution is 1/infinity
        for at in range(0, len(values), _ROWS_AT_ONCE):
            block = values[at : at + _ROWS_AT_ONCE]
            block /= _one_and_odds(block)
    return values


def _one_and_odds(values: "Floats") -> "Floats":
    """Return 1 + exp(-x p(x^2))."""
    squares = np.minimum(values * values, _FITTED_TO)
    first, second, *others = _COEFFICIENTS
    result = squares * first
    result += second
    for coefficient in others:
        result *= squares
        result += coefficient
    result *= values
    np.negative(result, out=result)
    np.exp(result, out=result)
    result += 1
    return result
