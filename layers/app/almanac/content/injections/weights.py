"""The weights of the injection model. `tools/injection_model/train.py` writes them to `weights.bin`.

The file holds a version, the unit of the weights, the bias, a threshold for each frame and the SHA-256 of the training
texts. Then come the features in rising order, and a weight of one byte for each.
"""

import struct
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

WEIGHTS_FILE = Path(__file__).with_name("weights.bin")

_HEAD = struct.Struct("<4sBffffffI32s")
_MAGIC = b"ALMI"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights `by_feature`, in units of `unit`. A window is marked if its score and `bias` exceed the threshold of
    its frame."""

    by_feature: Mapping[int, int]
    unit: float
    bias: float
    thresholds: tuple[float, float, float, float]
    digest: str


def pack_weights(weights: Weights) -> bytes:
    """Return the content of the file that stores `weights`."""
    features = sorted(weights.by_feature)
    head = _HEAD.pack(
        _MAGIC,
        _VERSION,
        weights.unit,
        weights.bias,
        *weights.thresholds,
        len(features),
        bytes.fromhex(weights.digest),
    )
    numbers = struct.pack(f"<{len(features)}I", *features)
    return head + numbers + array("b", [weights.by_feature[feature] for feature in features]).tobytes()


def unpack_weights(content: bytes) -> Weights:
    """Return the weights in a file's content. Raises ValueError for another format or version."""
    magic, version, unit, bias, plain, hinted, framed, told, count, digest = _HEAD.unpack_from(content)
    if magic != _MAGIC or version != _VERSION:
        raise ValueError("not the weights of this version")
    features = struct.unpack_from(f"<{count}I", content, _HEAD.size)
    values = array("b")
    values.frombytes(content[_HEAD.size + 4 * count :])
    return Weights(dict(zip(features, values, strict=True)), unit, bias, (plain, hinted, framed, told), digest.hex())


@lru_cache(maxsize=1)
def packaged_weights() -> Weights:
    """Return the weights that come with the app, loaded at first use."""
    return unpack_weights(WEIGHTS_FILE.read_bytes())
