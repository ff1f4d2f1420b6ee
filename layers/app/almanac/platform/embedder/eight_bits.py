"""Eight-bit quantization of weights. Each row of a matrix becomes whole numbers from -127 to 127 and a step."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from almanac.platform.embedder.safetensors import Kept, Tensor

    Floats = NDArray[np.float32]

STEPS = ".steps"
"""Suffix of the name of the tensor that holds the steps of another tensor's rows."""
_MOST = np.float32(127)
_TINY = np.float32(2**-14)
"""The smallest step that half precision represents in full."""


def in_eight_bits(name: str, tensor: "Floats") -> "Mapping[str, Kept]":
    """Return the stored tensors for a tensor, by name: a quantized matrix with its steps, or a vector in half
    precision.
    """
    if tensor.ndim == 1:
        return {name: tensor.astype(np.float16)}
    steps = np.maximum(np.abs(tensor).max(axis=1) / _MOST, _TINY).astype(np.float16)
    # Divide by the stored steps, which may be a little less than a 127th of the largest number.
    rows = np.rint(tensor / steps.astype(np.float32)[:, None]).clip(-_MOST, _MOST)
    return {name: rows.astype(np.int8), f"{name}{STEPS}": steps}


def floats(tensors: "Mapping[str, Tensor]", name: str, rows: "NDArray[np.integer] | slice" = slice(None)) -> "Floats":
    """Read rows of a tensor in single precision, whether it is quantized or not."""
    kept = tensors[name][rows].astype(np.float32, copy=False)
    steps = tensors.get(f"{name}{STEPS}")
    return kept if steps is None else kept * steps[rows].astype(np.float32)[:, None]
