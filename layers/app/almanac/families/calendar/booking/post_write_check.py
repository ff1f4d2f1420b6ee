"""Check after a write whether another event at the provider overlaps the one just written.

No provider refuses an overlap, so two clients without a shared store can both find a slot free and both write. Each
Almanac therefore reads the slot again after its write, and keeps a booking only if nothing else is there. Of two that
do this, at most one is kept: both wrote before they read, so the later one sees the other. Each withdraws its own event
when it sees another. The earlier one, by ids that all sides see, first waits a little for the later one to give way, so
that one of the two is kept. It does not wait for an event of another program.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.calendar.entries.codec import event_entry, view_of_entry
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.view import EntryView, RecurringEntries
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instances import interval_of, recurrence_of, times
from almanac.families.calendar.providers.port import Provider, ProviderEvent
from almanac.kernel.errors import AlmanacError, Conflict, NotFound, Unavailable
from almanac.platform.store.contention import Backoff

_WAITS = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between reads, in which a later Almanac can see our event and withdraw its own."""
_AGAIN = (0.05, 0.1, 0.2, 0)
_HORIZON = 366 * 86_400_000
_MOST_INSTANCES = 500


class Outrun(Conflict):
    """Another event at the provider overlaps ours, which was withdrawn."""

    def __init__(self, other: EntryView) -> None:
        super().__init__(
            "Conflict detected: another program has just taken the slot at the provider.",
            "Look with list_events what stands now.",
            code="slot_taken",
        )
        self.other = other


class Overlap(Struct, frozen=True):
    """Event that overlaps ours. `earlier`: it does not give way."""

    shown: EntryView
    earlier: bool


class PostWriteCheck:
    """Check for overlapping events at a provider. `backoff` waits between reads; `now` is in milliseconds since
    1970."""

    def __init__(self, backoff: Backoff, now: Callable[[], int]) -> None:
        self._backoff = backoff
        self._now = now

    def other(
        self, provider: Provider, calendar: CalendarRecord, event: Event, *, patient: bool = False
    ) -> EntryView | None:
        """Return an entry that overlaps `event`, or None.

        A `patient` check lasts up to 3 seconds. Raises Unavailable if the provider does not answer.
        """
        slots = _slots(event, calendar.zone, self._now())
        window = Interval(slots[0].start, max(slot.end for slot in slots))
        met = self._find_overlap(provider, calendar, event, slots, window)
        for seconds in _WAITS if patient else ():
            if met is None or met.earlier:
                break
            self._backoff.sleep(seconds * (0.5 + self._backoff.random() / 2))
            met = self._find_overlap(provider, calendar, event, slots, window)
        return met.shown if met is not None else None

    def _find_overlap(
        self, provider: Provider, calendar: CalendarRecord, event: Event, slots: Sequence[Interval], window: Interval
    ) -> Overlap | None:
        seen = self._read_events(provider, calendar, window)
        others = {one.event.id: one for one in seen if one.event.takes_time and not _is_same(one.event, event)}
        earlier = {key for key, one in others.items() if not one.ours or key < event.id}
        overlaps = [
            Overlap(shown, shown.filed.id in earlier)
            for shown in _overlapping_entries([one.event for one in others.values()], slots, window, calendar)
        ]
        return min(overlaps, key=lambda one: (not one.earlier, one.shown.start, one.shown.filed.id), default=None)

    def _read_events(self, provider: Provider, calendar: CalendarRecord, window: Interval) -> list[ProviderEvent]:
        for seconds in _AGAIN:
            try:
                return provider.current_events(calendar.at_provider(), window)
            except Unavailable:
                raise
            except NotFound as gone:
                # Some servers answer so for all events when one disappears during the request.
                if not seconds:
                    raise Unavailable(gone.message, gone.hint) from gone
                self._backoff.sleep(seconds)
            except AlmanacError as refused:
                raise Unavailable(refused.message, refused.hint) from refused
        raise AssertionError("the last look answers or raises")


def _overlapping_entries(
    events: Sequence[Event], slots: Sequence[Interval], window: Interval, calendar: CalendarRecord
) -> Iterator[EntryView]:
    """Return the entries that overlap one of the slots, which are in order."""
    recurring = RecurringEntries(
        (view_of_entry(event_entry(calendar.id, event, calendar.zone)) for event in events), calendar.zone
    )
    shown = recurring.single(window)
    for series in recurring.series_views(window):
        shown += [series.first._replace(start=start, end=end) for start, end in series.times]
    starts, ends = [slot.start for slot in slots], [slot.end for slot in slots]
    return (one for one in shown if bisect_right(ends, one.start) < bisect_left(starts, one.end))


def _slots(event: Event, zone: ZoneInfo, now: int) -> list[Interval]:
    """Return the time of an event, or of the first 500 instances of a series within a year.

    If the series began before `now`, past instances do not count.
    """
    first = interval_of(event, zone)
    if not event.is_series:
        return [first]
    series = recurrence_of(event, zone)
    slots: list[Interval] = []
    begin = max(first.start, now)
    for start, end in times(series, Interval(begin, begin + _HORIZON)):
        slots.append(Interval(start, end))
        if len(slots) == _MOST_INSTANCES:
            break
    return slots or [first]


def _is_same(one: Event, ours: Event) -> bool:
    """Return whether the event is ours, or a changed instance of our series."""
    return one.id == ours.id or one.uid == ours.uid or one.id.startswith((f"{ours.id}~", f"{ours.id}_"))
