"""Test the number and the time of retries after throttling."""

import pytest

from almanac.kernel.errors import Unavailable
from almanac.platform.store.retries import Retries, Throttled


class Wall:
    """A clock that only pauses and slow tries move."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.tries = 0

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def retries(self, attempts: int = 8) -> Retries:
        return Retries(
            sleep=self.sleep, random=lambda: 1.0, monotonic=lambda: self.seconds, attempts=attempts, patience_seconds=3
        )

    def throttle_after(self, seconds: float) -> None:
        self.tries += 1
        self.seconds += seconds
        raise Throttled


@pytest.fixture
def wall() -> Wall:
    return Wall()


def test_a_store_that_turns_away_at_once_is_tried_as_often_as_was_said(wall: Wall) -> None:
    with pytest.raises(Unavailable):
        wall.retries(attempts=5).call(lambda: wall.throttle_after(0))
    assert wall.tries == 5
    assert wall.seconds == pytest.approx(0.025 + 0.05 + 0.1 + 0.2)


def test_a_store_that_is_silent_is_not_waited_for_beyond_the_patience(wall: Wall) -> None:
    with pytest.raises(Unavailable):
        wall.retries().call(lambda: wall.throttle_after(2))
    assert wall.tries == 2
    assert wall.seconds == pytest.approx(4.025)


def test_the_answer_of_a_later_try_is_the_answer(wall: Wall) -> None:
    def third() -> str:
        return "done" if wall.tries == 2 else str(wall.throttle_after(0.1))

    assert wall.retries().call(third) == "done"
