"""A day or a period that an expression names, before a time of day is joined to it."""

from collections.abc import Sequence
from datetime import date, time

from almanac.families.time.expressions.vocabulary import WEEKDAYS, Unit


class Day:
    """A named day or period.

    `start` is its first day; `unit` how long it lasts ("day" for a plain date). `at` overrides midnight where the form
    itself says a time ("end of month"). `others` are the days the same words could also mean, best first, from which a
    weekday said beside them may choose. `fixed` tells a full date, which no year can be added to,
    `complete` a moment no time of day can be added to ("end of Friday").
    """

    __slots__ = ("at", "complete", "fixed", "note", "others", "start", "unit")
    unit: Unit

    def __init__(
        self,
        start: date,
        unit: Unit = "day",
        *,
        at: time | None = None,
        note: str = "",
        others: Sequence[date] = (),
        fixed: bool = True,
        complete: bool = False,
    ) -> None:
        self.start, self.unit, self.at, self.note, self.others = start, unit, at, note, others
        self.fixed, self.complete = fixed, complete


def written(day: date) -> str:
    """`Friday 2026-02-20`, for notes and messages."""
    return f"{WEEKDAYS[day.weekday()]} {day.isoformat()}"
