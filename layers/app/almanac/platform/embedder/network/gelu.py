"""The activation of BERT's layers, x times the normal distribution of x, which numpy has no function for.

The distribution is written as 1/(1 + exp(-x p(x^2))). The polynomial p was fitted so that the result is off by 1e-7 at
most, before rounding. Beyond 6 the distribution is 0 or 1 to a float32.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

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
"""A block and its steps between stay in the processor's cache: three times as fast."""


def gelu(values: "Floats") -> "Floats":
    """Of each number of a matrix; changes `values` itself."""
    with np.errstate(over="ignore"):  # far below zero the distribution is 1/infinity
        for at in range(0, len(values), _ROWS_AT_ONCE):
            block = values[at : at + _ROWS_AT_ONCE]
            block /= _one_and_odds(block)
    return values


def _one_and_odds(values: "Floats") -> "Floats":
    """1 + exp(-x p(x^2))."""
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
