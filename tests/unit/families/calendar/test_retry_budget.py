"""Trying again, and waiting for others."""

import pytest

from almanac.kernel.errors import Unavailable
from almanac.platform.store.contention import Backoff, RetryBudget


def budget(slept: list[float], wait_seconds: float = 1.0) -> RetryBudget:
    return RetryBudget(Backoff(sleep=slept.append, random=lambda: 0.5, wait_seconds=wait_seconds))


def test_the_first_attempt_is_made_at_once_and_the_next_ones_after_growing_pauses():
    slept: list[float] = []
    retries = budget(slept)

    numbers = [retries.next_attempt() for _ in range(12)]

    assert numbers == list(range(12))
    assert len(slept) == 11
    assert slept == sorted(slept)
    assert slept[-1] == 0.05


def test_after_sixty_attempts_that_others_spoiled_it_gives_up():
    retries = budget([])

    numbers = [retries.next_attempt() for _ in range(61)]

    assert numbers[-1] == 60
    with pytest.raises(Unavailable, match="The calendar is being changed by many calls at once"):
        retries.next_attempt()


def test_whoever_waited_for_somebody_tries_again_at_once_and_as_another_attempt():
    slept: list[float] = []
    retries = budget(slept)

    assert retries.next_attempt() == 0
    assert retries.wait()
    assert retries.next_attempt() == 1
    assert len(slept) == 1


def test_nobody_is_waited_for_longer_than_said():
    slept: list[float] = []
    retries = budget(slept, wait_seconds=1.0)

    while retries.wait():
        pass

    assert 1.0 <= sum(slept) < 1.2
