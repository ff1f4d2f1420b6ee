"""Ranks: there is always one more between two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.planner.boards.ranks import rank_between
from almanac.kernel.errors import LimitExceeded


@given(st.lists(st.integers(0, 10**6), max_size=200))
def test_ranks_put_in_anywhere_sort_as_they_were_put(places: list[int]) -> None:
    ranks: list[str] = []
    for place in places:
        at = place % (len(ranks) + 1)
        low, high = ranks[at - 1] if at else None, ranks[at] if at < len(ranks) else None
        ranks.insert(at, rank_between(low, high))
    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize("at_top", [True, False])
def test_ranks_at_the_ends_stay_short(at_top: bool) -> None:
    rank = rank_between(None, None)
    for _ in range(20_000):
        following = rank_between(None, rank) if at_top else rank_between(rank, None)
        assert (following < rank) is at_top
        rank = following
    assert len(rank) < 8


def test_a_place_that_is_used_up_is_refused_with_what_to_do() -> None:
    low, high = rank_between(None, None), rank_between(rank_between(None, None), None)

    def fill(high: str) -> None:
        for _ in range(10_000):
            high = rank_between(low, high)

    with pytest.raises(LimitExceeded, match="Put the card at the top"):
        fill(high)


def test_neighbours_in_the_wrong_order_are_a_defect() -> None:
    with pytest.raises(ValueError, match="below"):
        rank_between("b00", "a0")
