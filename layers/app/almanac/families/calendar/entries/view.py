"""Views of the entries in a window, with series expanded."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.calendar.entries.records import Hold, Operation, PlaceInCalendar
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, convert_to_zone, decode_event
from almanac.families.calendar.model.instances import interval_of, recurrence_of, split_series, times
from almanac.kernel.instants import instant_at

MARGIN_MS = 30 * 3600 * 1000
"""Greatest distance from its stored place at which an event may appear, in ms. A day begins up to 26 hours earlier or
later for a reader in another zone, and a new release of the zone rules may move an event by a few hours more."""

_READERS = 4

Kind = Literal["event", "hold", "operation"]


class EntryView(NamedTuple):
    """Entry of a calendar from `start` to `end`, in milliseconds since 1970.

    `filed` is the place of its stored entry. `event` may still be encoded; `event_of` decodes it.
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
    def is_day(self) -> bool:
        """Return whether it covers whole days, which begin and end by the reader's clocks."""
        event = self.event if isinstance(self.event, Event) else event_of_hold(self)
        return event is not None and event.is_all_day

    @property
    def is_listed(self) -> bool:
        """Return whether people see it: no cancelled event, and of operations only a booking under way."""
        if isinstance(self.record, Operation):
            return self.record.busy and self.record.action == "create"
        event = event_of(self) if self.kind == "event" and not self.busy else None
        return event is None or event.status != "cancelled"


class SeriesView(NamedTuple):
    """Series with the view of its first instance, and start and end of its instances, ascending."""

    first: EntryView
    times: Sequence[tuple[int, int]]


def event_of(view: EntryView) -> Event | None:
    """Return the event of the view; None for a hold. An operation has the event as it will be."""
    if isinstance(view.record, Operation):
        return decode_event(view.record.event)
    return decode_event(view.event) if isinstance(view.event, bytes) else view.event


def event_of_hold(view: EntryView) -> Event | None:
    """Return the event whose time a hold, or a booking under way, takes; None for any other entry."""
    data = view.record.event if view.record is not None and view.busy else None
    return decode_event(data) if data is not None else None


def series_of_hold(view: EntryView) -> Event | None:
    """Return the series whose time a hold, or a booking under way, takes; None for any other entry."""
    event = event_of_hold(view)
    return event if event is not None and event.is_series else None


def place_days(view: EntryView, zone: ZoneInfo) -> EntryView:
    """Return whole days as they begin and end in `zone`; any other entry unchanged."""
    event = view.event if isinstance(view.event, Event) else event_of_hold(view)
    if event is None or not event.is_all_day:
        return view
    return EntryView(*interval_of(event, zone), *view[2:])


def busy_block(interval: Interval, zone: ZoneInfo) -> EntryView:
    """Return an entry for time that is only known to be busy."""
    start, end = (convert_to_zone(instant_at(each), zone) for each in interval)
    event = Event(id=f"busy-{interval.start}", uid="", start=start, end=end, summary="Busy")
    filed = PlaceInCalendar("narrow", interval.start, event.id)
    return EntryView(*interval, True, "event", filed, None, False, event)


class RecurringEntries:
    """Wide entries of a calendar in `zone` at one version of them: series to expand, and single ones."""

    def __init__(self, entries: Iterable[EntryView], zone: ZoneInfo) -> None:
        held = list(entries)
        self._zone = zone
        self._elsewhere: dict[str, RecurringEntries] = {}
        events = {event.id: (event, one) for one in held if one.kind == "event" and (event := event_of(one))}
        single, series = split_series((event for event, _ in events.values()), zone)
        kept = [(one, series_of_hold(one)) for one in held if one.kind != "event"]
        self._single = [one for one, event in kept if event is None]
        self._single += [EntryView(*interval_of(event, zone), *_read(*events[event.id])[2:]) for event in single]
        self._series = [(one, _read(*events[one.event.id])) for one in series]
        # A held or pending series takes the time of its instances, not the time between them.
        for one, event in kept:
            if event is not None:
                self._series.append((recurrence_of(event, zone), one._replace(recurs=True)))
        held_events = [event for event, _ in events.values()] + [event_of_hold(one) for one, _ in kept]
        self._has_days = any(event is not None and event.is_all_day for event in held_events)

    def read_in(self, zone: ZoneInfo) -> "RecurringEntries":
        """Return the same entries for a reader whose days are those of `zone`.

        Repeated calls return the same object while it stays cached.
        """
        if not self._has_days or zone.key == self._zone.key:
            return self
        view = self._elsewhere.get(zone.key)
        if view is None:
            view = RecurringEntries((), zone)
            view._single = [place_days(one, zone) for one in self._single]
            view._series = [(one.read_in(zone), shown) for one, shown in self._series]
            self._elsewhere = dict([*self._elsewhere.items()][1 - _READERS :]) | {zone.key: view}
        return view

    def single(self, window: Interval) -> list[EntryView]:
        """Return single events that overlap or touch `window`, in no order."""
        return [one for one in self._single if one.start < window.end and window.start <= one.end]

    def series_views(self, window: Interval) -> list[SeriesView]:
        """Return the instances of series that overlap `window`."""
        return [SeriesView(shown, list(times(recurrence, window))) for recurrence, shown in self._series]


def _read(event: Event, view: EntryView) -> EntryView:
    return view._replace(event=event, recurs=event.is_series or event.recurrence_id is not None)


def in_window(views: Iterable[EntryView], window: Interval, now: int) -> list[EntryView]:
    """Return the live entries that overlap `window`, or are empty and lie in it, by start."""
    live = [
        one
        for one in views
        if one.start < window.end
        and (one.end > window.start or one.start == one.end == window.start)
        and (one.expires_at is None or one.expires_at > now)
    ]
    return sorted(live, key=_order)


def _order(view: EntryView) -> tuple[int, int, str]:
    return view.start, view.end, view.filed.id
