"""The weights of the model of statements, as `tools/sentence_model/train.py` writes them into `weights.bin`.

The file holds a version, the unit of the weights, the SHA-256 of the training texts, the bias of each kind, and then
the features in rising order with one byte of weight for each kind.
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
"""An aside decides nothing: it is supposed, denied, quoted, meant as a joke, or about other people's projects."""
KINDS: tuple[StatementKind, ...] = get_args(StatementKind)
WEIGHTS_FILE = Path(__file__).with_name("weights.bin")

_HEAD = struct.Struct("<4sBfI32s")
_MAGIC = b"ALMS"
_VERSION = 1


class Weights(Struct, frozen=True):
    """`by_feature` has a weight for each kind, in units of `unit`; `biases` are added as they are."""

    by_feature: Mapping[int, "array[int]"]
    unit: float
    biases: tuple[float, ...]
    digest: str


def packed(weights: Weights) -> bytes:
    """Return the content of the file that holds `weights`."""
    features = sorted(weights.by_feature)
    head = _HEAD.pack(_MAGIC, _VERSION, weights.unit, len(features), bytes.fromhex(weights.digest))
    biases = struct.pack(f"<{len(KINDS)}f", *weights.biases)
    numbers = struct.pack(f"<{len(features)}I", *features)
    return head + biases + numbers + b"".join(weights.by_feature[one].tobytes() for one in features)


def unpacked(content: bytes) -> Weights:
    """Return the weights that a file holds. Raises ValueError where it holds none of this version."""
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
    """Return the weights that come with the app; read at first use."""
    return unpacked(WEIGHTS_FILE.read_bytes())
