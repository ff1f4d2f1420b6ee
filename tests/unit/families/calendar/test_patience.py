"""Trying again, and waiting for others."""

import pytest

from almanac.kernel.errors import Unavailable
from almanac.platform.store.contention import Backoff, Patience


def patience(slept: list[float], wait_seconds: float = 1.0) -> Patience:
    return Patience(Backoff(sleep=slept.append, random=lambda: 0.5, wait_seconds=wait_seconds))


def test_the_first_attempt_is_made_at_once_and_the_next_ones_after_growing_pauses():
    slept: list[float] = []
    trying = patience(slept)

    numbers = [trying.next_attempt() for _ in range(12)]

    assert numbers == list(range(12))
    assert len(slept) == 11
    assert slept == sorted(slept)
    assert slept[-1] == 0.05


def test_after_sixty_attempts_that_others_spoiled_it_gives_up():
    trying = patience([])

    numbers = [trying.next_attempt() for _ in range(61)]

    assert numbers[-1] == 60
    with pytest.raises(Unavailable, match="The calendar is being changed by many calls at once"):
        trying.next_attempt()


def test_whoever_waited_for_somebody_tries_again_at_once_and_as_another_attempt():
    slept: list[float] = []
    trying = patience(slept)

    assert trying.next_attempt() == 0
    assert trying.wait()
    assert trying.next_attempt() == 1
    assert len(slept) == 1


def test_nobody_is_waited_for_longer_than_said():
    slept: list[float] = []
    trying = patience(slept, wait_seconds=1.0)

    while trying.wait():
        pass

    assert 1.0 <= sum(slept) < 1.2
