"""Test that scores are finite for any counts, so that numpy's warning about a matrix product can be ignored."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from almanac.search.frame import Field, FieldStatistics
from almanac.search.ranking.words import bm25, product, saturation_of

COUNTS = st.integers(0, 2**32)
MEANS = st.just(0.0) | st.floats(1, 2**32)
"""Of documents that have any terms; 0 where none has."""


@given(st.data(), st.integers(1, 40), st.integers(1, 12), MEANS, st.integers(0, 2**40))
def test_no_count_length_or_frequency_makes_a_score_that_is_not_finite(
    data: st.DataObject, rows: int, terms: int, mean: float, documents: int
) -> None:
    def numbers(size: int) -> list[int]:
        return data.draw(st.lists(COUNTS, min_size=size, max_size=size))

    none = np.full(rows, np.nan, np.float32)
    field = Field(
        tf=np.array(numbers(rows * terms), np.float32).reshape(rows, terms),
        length=np.array(numbers(rows), np.float32),
        pieces=[np.empty(0, np.uint16)] * rows,
        kept=np.zeros(rows, np.float32),
        bits=[None] * rows,
        similarity=none,
        context=none,
    )
    statistics = FieldStatistics(frequencies=np.array(numbers(terms), np.float32), length=mean)

    scores = bm25(field, statistics, documents, saturation_of("talk"))

    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


def test_a_flag_that_a_product_leaves_behind_is_no_warning() -> None:
    """Tests turn warnings into errors; here the flag is a real one, of numbers that are not finite."""
    large = np.array([[3e38, 3e38]], np.float32)

    assert product(large, np.ones(2, np.float32)).tolist() == [np.inf]
