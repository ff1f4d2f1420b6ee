"""Retry with full jitter on write conflicts."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from almanac.kernel.errors import AlmanacError, Conflict, Unavailable
from almanac.platform.store.port import ConditionFailed

T = TypeVar("T")

_FIRST_SECONDS = 0.001
_LONGEST_SECONDS = 0.1
_POLL_SECONDS = 0.1
_TIMES_OUTRUN = 3


class Backoff(Struct, frozen=True):
    """`sleep` takes seconds, `random` answers a number from 0 to 1. Nobody is waited for longer than `wait_seconds`.
    After `attempts` that others spoiled there is no further one."""

    sleep: Callable[[float], None]
    random: Callable[[], float]
    wait_seconds: float = 10.0
    attempts: int = 60


class WriteContention(Conflict):
    """Others were first, again and again: the same call may work a moment later."""

    retryable = True


class Retry(Exception):
    """Raised when another writer was first, as a fresh reading shows: begin the attempt again."""


def retrying(
    backoff: Backoff,
    attempt: Callable[[], T],
    thing: str = "the same thing",
    refusal: Callable[[str, str], AlmanacError] = Unavailable,
) -> T:
    """The value of `attempt`, which reads anew each time it is called, once no condition of its write fails.

    Raises the refusal after many attempts that others spoiled.
    """
    budget = RetryBudget(backoff, thing, refusal)
    while True:
        budget.next_attempt()
        try:
            return attempt()
        except (ConditionFailed, Retry):
            continue


class RetryBudget:
    """Attempts and waiting time that a call has while others change `thing`. When they are spent `refusal` is
    raised."""

    def __init__(
        self, backoff: Backoff, thing: str = "the calendar", refusal: Callable[[str, str], AlmanacError] = Unavailable
    ) -> None:
        self._backoff = backoff
        self._thing = thing
        self._refusal = refusal
        self._left = backoff.wait_seconds
        self._attempts = self._spoiled = 0
        self._outrun = 0
        self._waited = False

    def next_attempt(self) -> int:
        """0 for the first attempt; how many there were for another one, after a pause.

        Raises the refusal after 60 attempts that others spoiled; those that ended in waiting are not counted.
        """
        number = self._attempts
        if number > 0 and not self._waited:
            if self._spoiled == self._backoff.attempts:
                thing = self._thing[0].upper() + self._thing[1:]
                raise self._refusal(f"{thing} is being changed by many calls at once.", "Repeat the call in a moment.")
            longest = min(_LONGEST_SECONDS, _FIRST_SECONDS * 2 ** min(self._spoiled, 10))
            self._backoff.sleep(self._backoff.random() * longest)
            self._spoiled += 1
        self._attempts, self._waited = number + 1, False
        return number

    def again(self) -> bool:
        """After somebody elsewhere was first: whether to try once more, after a pause that grows."""
        self._outrun += 1
        if self._outrun > _TIMES_OUTRUN:
            return False
        self._backoff.sleep(self._backoff.random() * _POLL_SECONDS * 2**self._outrun)
        self._waited = True
        return True

    def wait(self) -> bool:
        """Waits for somebody a little; False when there is no time left to wait."""
        if self._left <= 0:
            return False
        seconds = _POLL_SECONDS * (0.5 + self._backoff.random())
        self._left -= seconds
        self._waited = True
        self._backoff.sleep(seconds)
        return True
