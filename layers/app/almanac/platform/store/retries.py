"""Retries of throttled calls, with full jitter so that callers do not collide again."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from almanac.kernel.errors import Unavailable

T = TypeVar("T")


class Throttled(Exception):
    """The service rejected a call without any effect. The same call may work a moment later."""


class Retries(Struct, frozen=True):
    """Limits of retries: up to `attempts` tries, within `patience_seconds`.

    The pause before try n+1 is up to `first_seconds` x 2^n, at most `longest_seconds`. After `patience_seconds` no
    further try begins, so that the caller gets the error before the process is stopped. `sleep` takes seconds, `random`
    returns a number from 0 to 1, and `monotonic` returns seconds.
    """

    sleep: Callable[[float], None]
    random: Callable[[], float]
    monotonic: Callable[[], float]
    attempts: int = 8
    first_seconds: float = 0.025
    longest_seconds: float = 1.0
    patience_seconds: float = 3.0

    def call(self, attempt: Callable[[], T]) -> T:
        """Return the result of the first try that is not throttled. Raises Unavailable if all are."""
        ends = self.monotonic() + self.patience_seconds
        tried = 0
        while True:
            try:
                return attempt()
            except Throttled as error:
                pause = self.random() * min(self.longest_seconds, self.first_seconds * 2**tried)
                tried += 1
                if tried == self.attempts or self.monotonic() + pause > ends:
                    raise Unavailable("The store does not answer in time.", "Repeat the call in a moment.") from error
                self.sleep(pause)
