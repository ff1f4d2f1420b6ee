"""What a calendar holds in a window: entries read from the store, series expanded."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.events import Event, decode_event
from almanac.families.calendar.instances import Repetition, arranged, instances, interval_of
from almanac.families.calendar.records import Hold, Operation, PlaceInCalendar

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


def event_of(shown: Shown) -> Event | None:
    """The event that is shown; None for a hold. Of an operation: the event as it is to be."""
    if isinstance(shown.record, Operation):
        return decode_event(shown.record.event)
    return decode_event(shown.event) if isinstance(shown.event, bytes) else shown.event


class Wide:
    """The wide entries of a calendar at one version of them: series to expand, and single ones."""

    def __init__(self, entries: Iterable[Shown], zone: str) -> None:
        held = list(entries)
        events = {event.id: (event, one) for one in held if one.kind == "event" and (event := event_of(one))}
        single, self._series = arranged((event for event, _ in events.values()), zone)
        self._filed = {key: one.filed for key, (_, one) in events.items()}
        self._single = [one for one in held if one.kind != "event"]
        self._single += [self._once(event, interval_of(event, zone)) for event in single]

    def shown(self, window: Interval) -> list[Shown]:
        """Everything that overlaps or touches `window`, in no order."""
        found = [one for one in self._single if one.start < window.end and window.start <= one.end]
        for repetition in self._series:
            found += self._expanded(repetition, window)
        return found

    def _once(self, event: Event, interval: Interval) -> Shown:
        filed = self._filed[event.id]
        return Shown(*interval, event.takes_time, "event", filed, None, event.recurrence_id is not None, event)

    def _expanded(self, repetition: Repetition, window: Interval) -> Iterator[Shown]:
        event = repetition.event
        busy, filed = event.takes_time, self._filed[event.id]
        for start, end, _, _ in instances(repetition, window):
            yield Shown(start, end, busy, "event", filed, None, True, event)


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
