"""Ordered index of the entries in a window of a calendar, so that a part of it is found without reading the rest."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from zoneinfo import ZoneInfo

from almanac.families.calendar.entries.records import NARROW_MS, PlaceInCalendar
from almanac.families.calendar.entries.view import MARGIN_MS, EntryView, RecurringEntries, SeriesView, place_days
from almanac.families.calendar.model.availability import Interval, merge

_ALWAYS = Interval(-(10**15), 10**15)
_READERS = 4
_by_start = itemgetter(0)


class WindowIndex:
    """Immutable index of the entries in `window`."""

    def __init__(self, window: Interval, shown: Iterable[EntryView]) -> None:
        self.window = window
        ordered = sorted(shown, key=_by_start)
        self._short = [one for one in ordered if one.end - one.start <= NARROW_MS]
        self._long = [one for one in ordered if one.end - one.start > NARROW_MS]
        self._elsewhere: dict[str, WindowIndex] = {}

    def read_in(self, zone: ZoneInfo) -> "WindowIndex":
        """Return the same index for a reader whose days are those of `zone`."""
        if not self._has_days:
            return self
        found = self._elsewhere.get(zone.key)
        if found is None:
            found = WindowIndex(self.window, (place_days(one, zone) for one in (*self._short, *self._long)))
            self._elsewhere = dict([*self._elsewhere.items()][1 - _READERS :]) | {zone.key: found}
        return found

    @cached_property
    def _has_days(self) -> bool:
        return any(one.is_day for one in (*self._short, *self._long))

    def __len__(self) -> int:
        return len(self._short) + len(self._long)

    def near(self, window: Interval) -> list[EntryView]:
        """Return the entries that overlap or touch `window`, and a few more, in no particular order."""
        first = bisect_left(self._short, window.start - NARROW_MS, key=_by_start)
        return [*self._long, *self._short[first : bisect_left(self._short, window.end, key=_by_start)]]

    @cached_property
    def permanent_busy(self) -> list[Interval]:
        """Merged busy time of entries that do not expire."""
        busy = [one[:2] for one in (*self._short, *self._long) if one.busy and one.expires_at is None]
        return merge(busy, _ALWAYS)

    @cached_property
    def expiring_entries(self) -> list[EntryView]:
        """Busy entries that expire."""
        return [one for one in (*self._short, *self._long) if one.busy and one.expires_at is not None]

    def advance_to(self, gone: Collection[PlaceInCalendar], new: Collection[EntryView]) -> "WindowIndex":
        """Return the index without the narrow entries in `gone`, and with those in `new`."""
        starts = narrow_starts(self.window)
        within = {place for place in gone if starts.start <= place.start < starts.end}
        came = [one for one in new if one.filed.reach == "narrow" and starts.start <= one.filed.start < starts.end]
        if not within and not came:
            return self
        other = WindowIndex(self.window, ())
        other._short = [one for one in self._short if one.filed not in within] if within else list(self._short)
        other._long = list(self._long)
        for one in came:
            other._short.insert(bisect_right(other._short, one.start, key=_by_start), one)
        return other


class ExpandedWindow:
    """Single events of `recurring` in `window`, and instances of series. The instances are built only when they are
    read."""

    def __init__(self, window: Interval, recurring: RecurringEntries | None = None) -> None:
        self.window = window
        self.recurring = recurring
        self._single = WindowIndex(window, recurring.single(window) if recurring is not None else ())
        self._recurring: Sequence[SeriesView] = recurring.series_views(window) if recurring is not None else ()

    def __len__(self) -> int:
        return len(self._single) + sum(len(one.times) for one in self._recurring)

    def near(self, window: Interval) -> list[EntryView]:
        """Return entries as `WindowIndex.near` does."""
        return [*self._single.near(window), *self._instances.near(window)]

    @cached_property
    def permanent_busy(self) -> list[Interval]:
        """Busy time as in `WindowIndex.permanent_busy`."""
        busy = (one.times for one in self._recurring if one.first.busy and one.first.expires_at is None)
        return merge(chain(self._single.permanent_busy, *busy), _ALWAYS)

    @cached_property
    def expiring_entries(self) -> list[EntryView]:
        """Busy entries as in `WindowIndex.expiring_entries`."""
        expiring_series = [one for one in self._recurring if one.first.busy and one.first.expires_at is not None]
        instances = [EntryView(start, end, *one.first[2:]) for one in expiring_series for start, end in one.times]
        return [*self._single.expiring_entries, *instances]

    @cached_property
    def _instances(self) -> WindowIndex:
        shown = (EntryView(start, end, *one.first[2:]) for one in self._recurring for start, end in one.times)
        return WindowIndex(self.window, shown)


def align(window: Interval, unit: int) -> Interval:
    """Widen the window to multiples of `unit` milliseconds, so that nearby windows become the same."""
    return Interval(window.start // unit * unit, -(-window.end // unit) * unit)


def narrow_starts(window: Interval) -> Interval:
    """Return the starts under which a narrow entry of `window` may be filed."""
    return Interval(window.start - NARROW_MS - MARGIN_MS, window.end + MARGIN_MS)
