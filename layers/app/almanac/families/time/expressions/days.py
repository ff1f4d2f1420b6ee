"""Day or period that an expression names, before a time of day joins it."""

from collections.abc import Sequence
from datetime import date, time

from almanac.families.time.expressions.vocabulary import WEEKDAYS, Unit


class Day:
    """Named day or period.

    `start` is its first day; `unit` is its length ("day" for a plain date). `at` replaces midnight if the words
    themselves give a time ("end of month"). `others` are further days that the same words could mean, best first; a
    weekday beside them may choose among them. `fixed` marks a full date, which accepts no year. `complete` marks a
    moment that accepts no time of day ("end of Friday").
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


def day_label(day: date) -> str:
    """Return the day as `Friday 2026-02-20`, for notes and messages."""
    return f"{WEEKDAYS[day.weekday()]} {day.isoformat()}"
