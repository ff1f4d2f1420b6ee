"""Limit on how many values are examined one by one when arguments do not fit their schema."""

from typing import Final

MOST_VALUES: Final = 10_000


class BudgetSpent(Exception):
    """Raised when more values were examined than an error message is worth."""


class ValueBudget:
    """Counter of the values examined for one call."""

    def __init__(self) -> None:
        self._left = MOST_VALUES

    def spend(self) -> None:
        """Count one value. Raises BudgetSpent."""
        self._left -= 1
        if self._left < 0:
            raise BudgetSpent
