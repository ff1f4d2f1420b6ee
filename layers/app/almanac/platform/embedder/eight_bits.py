"""Weights in a quarter of their bytes: each row of a matrix as whole numbers of -127 to 127, and the step between
them."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from almanac.platform.embedder.safetensors import Kept, Tensor

    Floats = NDArray[np.float32]

STEPS = ".steps"
"""Ending of the name of the tensor that holds the steps of the rows of another."""
_MOST = np.float32(127)
_TINY = np.float32(2**-14)
"""The smallest step that half precision keeps in full."""


def in_eight_bits(name: str, tensor: "Floats") -> "Mapping[str, Kept]":
    """Return what is kept of a tensor, by name: of a matrix its rows in steps, of others the half precision."""
    if tensor.ndim == 1:
        return {name: tensor.astype(np.float16)}
    steps = np.maximum(np.abs(tensor).max(axis=1) / _MOST, _TINY).astype(np.float16)
    # Of the steps as they are kept, which may be a little less than a 127th of the largest number.
    rows = np.rint(tensor / steps.astype(np.float32)[:, None]).clip(-_MOST, _MOST)
    return {name: rows.astype(np.int8), f"{name}{STEPS}": steps}


def floats(tensors: "Mapping[str, Tensor]", name: str, rows: "NDArray[np.integer] | slice" = slice(None)) -> "Floats":
    """Read some rows of a tensor, whichever way it is kept."""
    kept = tensors[name][rows].astype(np.float32, copy=False)
    steps = tensors.get(f"{name}{STEPS}")
    return kept if steps is None else kept * steps[rows].astype(np.float32)[:, None]
