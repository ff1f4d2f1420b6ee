"""The planner of the same caller, made when something asks for one of its items."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from almanac.families.planner.core.planner import Planner


class PlannerOpener(Struct, frozen=True):
    """`open` makes the planner; only who names something else than a turn, memory or fact needs it."""

    open: "Callable[[], Planner]"
