"""Use of the `icalendar` library for the text alone, not for time zones.

By default the library turns TZIDs into zones itself, keeps zones that texts define for the whole process, one caller's
for the next, and expands their rules without a bound. Here it reads times as wall times, and `zone_names` resolves
their zones.
"""

# icalendar is typed loosely.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from datetime import tzinfo
from functools import lru_cache
from typing import cast

from icalendar import Calendar, Component
from icalendar.error import BrokenCalendarProperty
from icalendar.timezone import tzp
from icalendar.timezone.zoneinfo import ZONEINFO

from almanac.families.calendar.ical.lines import Line

BROKEN = (
    *(ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError, OverflowError),
    BrokenCalendarProperty,
)
"""Errors of the library for unreadable text."""


class _WallTimes(ZONEINFO):
    def timezone(self, name: str) -> tzinfo | None:  # noqa: ARG002 - the library's signature
        return None

    def knows_timezone_id(self, tzid: str) -> bool:  # noqa: ARG002 - as above
        return True  # so that it does not store zones that a text defines


def components(text: str) -> list[Component]:
    """Return the components of an iCalendar text. Raises one of `BROKEN` for other text."""
    _set_up()
    # The library takes a text without a line break for a file name.
    return cast(list[Component], Calendar.from_ical(text + "\r\n", multiple=True))


def component_of(name: str, lines: Sequence[Line]) -> tuple[Component, list[int]]:
    """Return the component with these lines, and the numbers of unreadable ones."""
    try:
        return _component(name, lines), []
    except BROKEN:
        broken = [line.number for line in lines if not _is_readable(name, line)]
    whole = [line for line in lines if line.number not in broken]
    try:
        return _component(name, whole), broken
    except BROKEN:
        return _component(name, ()), [line.number for line in lines]


def _is_readable(name: str, line: Line) -> bool:
    try:
        _component(name, [line])
    except BROKEN:
        return False
    return True


def _component(name: str, lines: Sequence[Line]) -> Component:
    return components(f"BEGIN:{name}\r\n" + "".join(f"{line.text}\r\n" for line in lines) + f"END:{name}")[0]


@lru_cache(maxsize=1)
def _set_up() -> None:
    tzp.use(_WallTimes())
