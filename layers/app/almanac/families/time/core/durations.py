"""Lengths of time: the difference of two instants, and adjustments such as "+1d2h30m".

Years, months, weeks and days move the calendar and keep the wall clock; hours, minutes and seconds are exact.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from almanac.families.time.core.timestamps import within_calendar
from almanac.families.time.core.wall_time import Dst, Gap, Overlap, Valid, examine
from almanac.kernel.errors import InvalidInput

Unit = Literal["y", "mo", "w", "d", "h", "m", "s"]

_UNIT_NAMES: dict[Unit, str] = {
    "y": "y yr yrs year years",
    "mo": "mo mos month months",
    "w": "w wk wks week weeks",
    "d": "d day days",
    "h": "h hr hrs hour hours",
    "m": "m min mins minute minutes",
    "s": "s sec secs second seconds",
}
_UNITS: dict[str, Unit] = {name: unit for unit, names in _UNIT_NAMES.items() for name in names.split()}
_ADJUSTMENT = re.compile(r"[+-](?:\s*\d{1,12}\s*[a-z]+)+\s*", re.IGNORECASE)
_PART = re.compile(r"(\d+)\s*([a-z]+)", re.IGNORECASE)
_FORM = (
    "Write a sign and numbers with units, each unit once: +2h, -30m, +1d2h30m, -2w3d, +1mo, +1y. "
    "Units: y, mo, w, d, h, m, s."
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Length of time split into days, hours, minutes and seconds. All parts are non-negative."""

    days: int
    hours: int
    minutes: int
    seconds: int | float

    def __str__(self) -> str:
        named = [(self.days, "day"), (self.hours, "hour"), (self.minutes, "minute"), (self.seconds, "second")]
        texts = [f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in named if number]
        return ", ".join(texts) or "0 seconds"


def take_apart(length: timedelta) -> Parts:
    """Split the absolute length into days of 24 hours and the rest."""
    size = abs(length)
    seconds = size.seconds % 60 + size.microseconds / 1_000_000
    return Parts(size.days, size.seconds // 3600, size.seconds % 3600 // 60, whole(seconds))


def whole(number: float) -> int | float:
    """Return an int for a whole number, so that 3.0 seconds read as 3."""
    return int(number) if number == int(number) else number


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Signed amounts by unit. `str()` returns the adjustment in its normal form."""

    sign: Literal[1, -1]
    amounts: dict[Unit, int]

    def __str__(self) -> str:
        return ("+" if self.sign > 0 else "-") + "".join(f"{amount}{unit}" for unit, amount in self.amounts.items())

    @property
    def moves_calendar(self) -> bool:
        """Return whether applying the adjustment needs a zone."""
        return any(self.amounts.get(unit) for unit in ("y", "mo", "w", "d"))


@dataclass(frozen=True, slots=True)
class AdjustedInstant:
    """Result of an adjustment: the instant in UTC, and whether the calendar part met a gap or an overlap."""

    instant: datetime
    dst: Dst


def parse_adjustment(text: str) -> Adjustment:
    """Parse a sign and amounts with units, each unit at most once. Raises InvalidInput for anything else."""
    stripped = text.strip()
    if not _ADJUSTMENT.fullmatch(stripped):
        raise InvalidInput(f'"{text[:60]}" is not an adjustment.', _FORM, path="adjustment")
    amounts: dict[Unit, int] = {}
    for amount, name in _PART.findall(stripped):
        if name == "M":
            raise InvalidInput(
                f'"{amount}M" may mean months or minutes.', f"Write {amount}mo or {amount}m.", path="adjustment"
            )
        unit = _UNITS.get(name.lower())
        if unit is None or unit in amounts:
            problem = "is used twice" if unit else "is no unit"
            raise InvalidInput(f'"{name[:20]}" in "{text[:60]}" {problem}.', _FORM, path="adjustment")
        amounts[unit] = int(amount)
    return Adjustment(1 if stripped[0] == "+" else -1, amounts)


def adjust(instant: datetime, adjustment: Adjustment, zone: ZoneInfo | None) -> AdjustedInstant:
    """Move `instant`: first by the calendar part on the wall clock of `zone`, then by the exact part.

    A wall time in a gap moves later by the length of the gap. In an overlap the result keeps the offset of `instant` if
    it is one of the two; otherwise it is the earlier instant. A day that the month does not have becomes the month's
    last. `zone` may be None for an adjustment that does not move the calendar.
    """
    try:
        moved = AdjustedInstant(instant.astimezone(UTC), "none")
        if zone is not None and adjustment.moves_calendar:
            moved = _move_calendar(instant.astimezone(zone), adjustment, zone)
        exact = timedelta(
            hours=adjustment.amounts.get("h", 0),
            minutes=adjustment.amounts.get("m", 0),
            seconds=adjustment.amounts.get("s", 0),
        )
        return AdjustedInstant(within_calendar(moved.instant + adjustment.sign * exact, "adjustment"), moved.dst)
    except (OverflowError, ValueError):
        raise InvalidInput(
            f'"{adjustment}" leaves the supported calendar.', "Stay within the years 1 to 9999.", path="adjustment"
        ) from None


def _move_calendar(start: datetime, adjustment: Adjustment, zone: ZoneInfo) -> AdjustedInstant:
    amounts = adjustment.amounts
    # relativedelta adds years and months, limits the day to the month's last, and then adds weeks and days.
    step = relativedelta(
        years=amounts.get("y", 0), months=amounts.get("mo", 0), weeks=amounts.get("w", 0), days=amounts.get("d", 0)
    )
    local = start.replace(tzinfo=None) + adjustment.sign * step
    match examine(local, zone):
        case Valid(instant):
            return AdjustedInstant(instant, "none")
        case Gap():
            # With the offset from before the gap, the wall time lands as far behind the gap as the gap is long.
            return AdjustedInstant(local.replace(tzinfo=zone, fold=0).astimezone(UTC), "gap")
        case Overlap(earlier, later):
            keeps_later = later.astimezone(zone).utcoffset() == start.utcoffset()
            return AdjustedInstant(later if keeps_later else earlier, "overlap")
