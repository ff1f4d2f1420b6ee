"""Test the weight of turns for themselves and for their neighbours."""

import numpy as np

from almanac.search.ranking.sessions import length_weights, neighbours
from almanac.search.ranking.similarity import with_neighbours
from tests.unit.search.samples import SampleIndex, turns


def test_a_long_turn_counts_less():
    assert length_weights(np.array([0, 10, 40, 80], dtype=np.float32)).tolist() == [1, 1, 1, 0.5]


def test_a_turn_counts_by_the_root_for_itself_and_less_for_its_neighbours():
    searching = SampleIndex(turns("a kitten", "b kitten", "c kitten"))
    frame = searching.frame("kitten", searching.parse_question("kitten"))
    close = np.array([[0], [1], [0]], dtype=np.float32)

    best = with_neighbours(frame, close, np.array([1, 0.25, 1], dtype=np.float32))

    assert best.ravel().round(4).tolist() == np.array([0.9 * 0.7 / 4, 0.5, 0.9 * 0.8 / 4], np.float32).round(4).tolist()
    assert neighbours(frame, np.array([True, False, False]), 1).tolist() == [True, True, False]
