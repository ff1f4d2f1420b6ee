"""Trying again when somebody else was first, with full jitter so that those who collided do not meet again."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from almanac.kernel.errors import Unavailable

_ATTEMPTS = 80
_FIRST_SECONDS = 0.001
_LONGEST_SECONDS = 0.1


class Pauses(Struct, frozen=True):
    """`sleep` takes seconds, `random` answers a number from 0 to 1."""

    sleep: Callable[[float], None]
    random: Callable[[], float]

    def attempts(self) -> Iterator[int]:
        """The numbers of the attempts, with a pause before each but the first. Raises Unavailable after the last, some
        four seconds later."""
        for attempt in range(_ATTEMPTS):
            if attempt:
                self.sleep(self.random() * min(_LONGEST_SECONDS, _FIRST_SECONDS * 2 ** min(attempt, 10)))
            yield attempt
        raise Unavailable("Too many others change the same at once.", "Repeat the call in a moment.")
