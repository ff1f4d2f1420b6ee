"""Context of an expression: the current time, zone and first weekday of the caller."""

from datetime import UTC, date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

WeekStart = Literal["monday", "sunday"]


class Context:
    """Anchor in UTC and in the caller's zone, with the weekday (0 Monday, 6 Sunday) on which weeks begin."""

    __slots__ = ("anchor", "first_weekday", "now", "today", "zone")

    def __init__(self, anchor: datetime, zone: ZoneInfo, week_start: WeekStart) -> None:
        self.anchor: datetime = anchor.astimezone(UTC)
        self.zone = zone
        self.now: datetime = anchor.astimezone(zone).replace(tzinfo=None, fold=0)
        self.today: date = self.now.date()
        self.first_weekday = 0 if week_start == "monday" else 6
