"""How many values of what a caller sent are looked at one by one, when it does not fit."""

from typing import Final

LOOKED_AT: Final = 10_000


class Enough(Exception):
    """More was looked at than an answer is worth."""


class Looks:
    """Counts them."""

    def __init__(self) -> None:
        self._left = LOOKED_AT

    def one(self) -> None:
        """Raises Enough."""
        self._left -= 1
        if self._left < 0:
            raise Enough
