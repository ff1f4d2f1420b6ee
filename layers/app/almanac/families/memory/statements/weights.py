"""The weights of the sentence classifier, which `tools/sentence_model/train.py` writes into `weights.bin`.

The file begins with a version, the unit of the weights, the SHA-256 of the training texts and the bias of each kind.
Then come the features in ascending order, and for each feature one byte of weight per kind.
"""

import struct
from array import array
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

StatementKind = Literal[
    "decision",
    "convention",
    "preference",
    "constraint",
    "deadline",
    "task",
    "done",
    "error",
    "cause",
    "fact",
    "question",
    "filler",
    "aside",
]
"""An aside decides nothing: it is a supposition, a denial, a quotation, a joke, or about other people's projects."""
KINDS: tuple[StatementKind, ...] = get_args(StatementKind)
WEIGHTS_FILE = Path(__file__).with_name("weights.bin")

_HEAD = struct.Struct("<4sBfI32s")
_MAGIC = b"ALMS"
_VERSION = 1


class Weights(Struct, frozen=True):
    """The weights of a trained model. `by_feature` maps a feature to its weights for the kinds, in units of `unit`.

    `biases` are plain numbers, one for each kind. `digest` is the SHA-256 of the training texts."""

    by_feature: Mapping[int, "array[int]"]
    unit: float
    biases: tuple[float, ...]
    digest: str


def pack_weights(weights: Weights) -> bytes:
    """Return the content of a file with these weights."""
    features = sorted(weights.by_feature)
    head = _HEAD.pack(_MAGIC, _VERSION, weights.unit, len(features), bytes.fromhex(weights.digest))
    biases = struct.pack(f"<{len(KINDS)}f", *weights.biases)
    numbers = struct.pack(f"<{len(features)}I", *features)
    return head + biases + numbers + b"".join(weights.by_feature[feature].tobytes() for feature in features)


def unpack_weights(content: bytes) -> Weights:
    """Return the weights from the content of a file. Raises ValueError if it has none of this version."""
    magic, version, unit, count, digest = _HEAD.unpack_from(content)
    if magic != _MAGIC or version != _VERSION:
        raise ValueError("not the weights of this version")
    kinds, at = len(KINDS), _HEAD.size
    biases = struct.unpack_from(f"<{kinds}f", content, at)
    features = struct.unpack_from(f"<{count}I", content, at + 4 * kinds)
    rows = array("b")
    rows.frombytes(content[at + 4 * (kinds + count) :])
    by_feature = {feature: rows[place * kinds : (place + 1) * kinds] for place, feature in enumerate(features)}
    return Weights(by_feature, unit, biases, digest.hex())


@lru_cache(maxsize=1)
def packaged_weights() -> Weights:
    """Return the weights that come with the app. The file is read at the first call."""
    return unpack_weights(WEIGHTS_FILE.read_bytes())
