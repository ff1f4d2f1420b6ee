"""The greatest of many scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.search.sqlite.reader.best import best


@given(st.integers(0, 60_000), st.integers(1, 5000), st.integers(1, 1000), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_none_that_is_left_out_is_greater(count: int, size: int, different: int, seed: int) -> None:
    scores = np.random.default_rng(seed).integers(0, different, count).astype(np.float32)
    found = best(scores, size)
    assert len(found) == len(set(found.tolist())) == min(count, size)
    left = np.delete(scores, found)
    assert not len(left) or not len(found) or left.max() <= scores[found].min()


@pytest.mark.parametrize("scores", [np.arange(50_000), -np.arange(50_000), np.zeros(50_000), np.full(50_000, -np.inf)])
def test_the_order_in_which_they_stand_does_not_matter(scores: np.ndarray) -> None:
    found = best(scores.astype(np.float32), 100)
    assert sorted(scores[found]) == sorted(np.sort(scores)[-100:])


def test_few_great_ones_between_those_that_a_sample_sees_are_found() -> None:
    scores = np.zeros(100_000, np.float32)
    scores[np.arange(1, 100_000, 1001)] = 1
    assert scores[best(scores, 50)].min() == 1
