"""Trying again when somebody else was first."""

from collections.abc import Callable
from typing import TypeVar

from almanac.families.planner.core.planner import Planner
from almanac.platform.store.port import ConditionFailed

T = TypeVar("T")


def settled(planner: Planner, attempt: Callable[[], T]) -> T:
    """What `attempt` answers; it is repeated on fresh readings where a condition of its write does not hold.

    Raises Contended after many attempts that others spoiled.
    """
    patience = planner.patience("the item")
    while True:
        patience.next_attempt()
        try:
            return attempt()
        except ConditionFailed:
            continue
