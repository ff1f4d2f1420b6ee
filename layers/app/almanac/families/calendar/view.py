"""What a calendar holds in a window: entries read from the store, series expanded."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.events import Event, decode_event, timed
from almanac.families.calendar.instances import arranged, interval_of, times
from almanac.families.calendar.records import Hold, Operation, PlaceInCalendar
from almanac.kernel.instants import instant_at

MARGIN_MS = 4 * 3600 * 1000
"""How far a new release of the zone rules may move an event from where it was filed."""

Kind = Literal["event", "hold", "operation"]


class Shown(NamedTuple):
    """Something in a calendar from `start` to `end`, in milliseconds since 1970.

    `filed` is where its entry stands. `event` is encoded where it was read as it is needed: see `event_of`.
    """

    start: int
    end: int
    busy: bool
    kind: Kind
    filed: PlaceInCalendar
    expires_at: int | None
    recurs: bool
    event: Event | bytes | None = None
    record: Hold | Operation | None = None

    @property
    def interval(self) -> Interval:
        return Interval(self.start, self.end)

    @property
    def is_listed(self) -> bool:
        """Whether people see it: not a cancelled event, and of operations only a booking under way."""
        if isinstance(self.record, Operation):
            return self.record.busy and self.record.action == "create"
        event = event_of(self) if self.kind == "event" and not self.busy else None
        return event is None or event.status != "cancelled"


class Recurring(NamedTuple):
    """A series as its first instance is shown, and start and end of instances, ascending."""

    first: Shown
    times: Sequence[tuple[int, int]]


def event_of(shown: Shown) -> Event | None:
    """The event that is shown; None for a hold. Of an operation: the event as it is to be."""
    if isinstance(shown.record, Operation):
        return decode_event(shown.record.event)
    return decode_event(shown.event) if isinstance(shown.event, bytes) else shown.event


def busy_block(interval: Interval, zone: str) -> Shown:
    """Time of which only that it is busy is known."""
    start, end = (timed(instant_at(each), zone) for each in interval)
    event = Event(id=f"busy-{interval.start}", uid="", start=start, end=end, summary="Busy")
    filed = PlaceInCalendar("narrow", interval.start, event.id)
    return Shown(*interval, True, "event", filed, None, False, event)


class Wide:
    """The wide entries of a calendar at one version of them: series to expand, and single ones."""

    def __init__(self, entries: Iterable[Shown], zone: str) -> None:
        held = list(entries)
        events = {event.id: (event, one) for one in held if one.kind == "event" and (event := event_of(one))}
        single, series = arranged((event for event, _ in events.values()), zone)
        self._single = [one for one in held if one.kind != "event"]
        self._single += [Shown(*interval_of(event, zone), *_read(*events[event.id])[2:]) for event in single]
        self._series = [(one, _read(*events[one.event.id])) for one in series]

    def single(self, window: Interval) -> list[Shown]:
        """What happens once and overlaps or touches `window`, in no order."""
        return [one for one in self._single if one.start < window.end and window.start <= one.end]

    def recurring(self, window: Interval) -> list[Recurring]:
        """The instances of series that overlap `window`."""
        return [Recurring(shown, list(times(repetition, window))) for repetition, shown in self._series]


def _read(event: Event, shown: Shown) -> Shown:
    return shown._replace(event=event, recurs=event.is_series or event.recurrence_id is not None)


def in_window(shown: Iterable[Shown], window: Interval, now: int) -> list[Shown]:
    """What is live and overlaps `window`, or has no length and lies in it, by start."""
    live = [
        one
        for one in shown
        if one.start < window.end
        and (one.end > window.start or one.start == one.end == window.start)
        and (one.expires_at is None or one.expires_at > now)
    ]
    return sorted(live, key=_order)


def _order(shown: Shown) -> tuple[int, int, str]:
    return shown.start, shown.end, shown.filed.id
