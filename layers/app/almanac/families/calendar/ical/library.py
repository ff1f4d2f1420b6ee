"""How the `icalendar` library is used: for the text, not for time zones.

Left alone it turns TZIDs into zones itself, keeps the zones that texts define for the whole process, one caller's for
the next, and runs their rules without a bound. Here it reads times as clocks show them, and `zone_names` says where.
"""

# icalendar is typed loosely.
# pyright: reportUnknownMemberType=false

from datetime import tzinfo
from functools import lru_cache
from typing import cast

from icalendar import Calendar, Component
from icalendar.timezone import tzp
from icalendar.timezone.zoneinfo import ZONEINFO


class _WallTimes(ZONEINFO):
    def timezone(self, name: str) -> tzinfo | None:  # noqa: ARG002 - the library's signature
        return None

    def knows_timezone_id(self, tzid: str) -> bool:  # noqa: ARG002 - as above
        return True  # so that it does not keep what a text defines


def components(text: str) -> list[Component]:
    """The components of an iCalendar text. Raises ValueError and its like for what is none."""
    _set_up()
    # A text without a line break would be taken for the name of a file.
    return cast(list[Component], Calendar.from_ical(text + "\r\n", multiple=True))


@lru_cache(maxsize=1)
def _set_up() -> None:
    tzp.use(_WallTimes())
