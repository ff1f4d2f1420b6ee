"""What else takes the time of an event: told, never in the way, for the planner books nothing."""

from msgspec import Struct

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.calendars import PRIMARY
from almanac.families.calendar.records import Hold
from almanac.families.calendar.view import Shown, event_of
from almanac.families.planner.event_rows import title_of
from almanac.families.planner.planner import Planner
from almanac.kernel.instants import instant_at

_NAMED = 5


class Clash(Struct, frozen=True, rename="camel"):
    """Something that takes the same time. `start` and `end` carry their offset."""

    id: str
    title: str
    start: str
    end: str
    day_of_week: str


def clashes(planner: Planner, filed: str, start: int, end: int) -> list[Clash]:
    """The first five that take time from `start` to `end`, in milliseconds since 1970, but for the entry `filed`."""
    window = Interval(start, end)
    calendar = planner.desk.calendars.find(PRIMARY)
    shown = planner.desk.calendars.shown(calendar, window)
    busy = [one for one in shown if one.busy and one.filed.id != filed and one.interval.overlaps(window)]
    return [_clash(one, planner) for one in busy[:_NAMED]]


def _clash(shown: Shown, planner: Planner) -> Clash:
    event = event_of(shown)
    title = shown.record.summary if isinstance(shown.record, Hold) else title_of(event) if event is not None else ""
    start, end = (instant_at(at).astimezone(planner.zone) for at in (shown.start, shown.end))
    return Clash(shown.filed.id, title, start.isoformat(), end.isoformat(), f"{start:%A}")
