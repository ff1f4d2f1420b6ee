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
    """Limits of retries after conflicts with other writers.

    `sleep` takes seconds, and `random` returns a number from 0 to 1. `wait_seconds` limits the waiting for others, and
    `attempts` the number of attempts that fail because another writer was first.
    """

    sleep: Callable[[float], None]
    random: Callable[[], float]
    wait_seconds: float = 10.0
    attempts: int = 60


class WriteContention(Conflict):
    """Other writers were first too many times. The same call may work a moment later."""

    retryable = True


class Retry(Exception):
    """Raised within an attempt when a fresh read shows that another writer was first. Begins the attempt again."""


def retry_on_conflict(
    backoff: Backoff,
    attempt: Callable[[], T],
    thing: str = "the same thing",
    refusal: Callable[[str, str], AlmanacError] = Unavailable,
) -> T:
    """Call `attempt` until no condition of its write fails, and return its value. It must read afresh in each call.

    Raises the `refusal` if other writers were first too many times.
    """
    budget = RetryBudget(backoff, thing, refusal)
    while True:
        budget.next_attempt()
        try:
            return attempt()
        except (ConditionFailed, Retry):
            continue


class RetryBudget:
    """Attempts and waiting time of a call while others change `thing`. Raises `refusal` when they are used up."""

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
        """Return the number of earlier attempts, 0 for the first one. Pauses before a further attempt.

        Raises the refusal after 60 attempts in which other writers were first. Attempts that ended in `wait` do not
        count.
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
        """Pause after another program was first, longer each time. Return whether to try once more."""
        self._outrun += 1
        if self._outrun > _TIMES_OUTRUN:
            return False
        self._backoff.sleep(self._backoff.random() * _POLL_SECONDS * 2**self._outrun)
        self._waited = True
        return True

    def wait(self) -> bool:
        """Wait a little for another writer. Return False when no waiting time is left."""
        if self._left <= 0:
            return False
        seconds = _POLL_SECONDS * (0.5 + self._backoff.random())
        self._left -= seconds
        self._waited = True
        self._backoff.sleep(seconds)
        return True
