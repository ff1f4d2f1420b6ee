"""In-process cache of calendars, keyed by the version at which they were read."""

from collections import OrderedDict
from collections.abc import Collection
from threading import Lock
from typing import TypeVar

from almanac.families.calendar.entries.records import CalendarRecord, PlaceInCalendar
from almanac.families.calendar.entries.view import EntryView, RecurringEntries
from almanac.families.calendar.entries.window_index import ExpandedWindow, WindowIndex
from almanac.families.calendar.model.availability import Interval
from almanac.kernel.caller import Scope

_MAX_CALENDARS = 64
_MAX_WINDOWS = 4
_MAX_EXPANSIONS = 8
_MAX_SHOWN = 200_000

_S = TypeVar("_S", WindowIndex, ExpandedWindow)
CalendarKey = tuple[str, str, str]
"""Tenant, project, calendar."""


def cache_key(scope: Scope, calendar: CalendarRecord) -> CalendarKey:
    return scope.tenant, scope.project, calendar.id


class _Cached:
    __slots__ = ("expansions", "narrow", "recurring", "version", "wide_version")

    def __init__(self) -> None:
        self.version = self.wide_version = -1
        self.recurring: RecurringEntries | None = None
        self.narrow: list[WindowIndex] = []
        self.expansions: list[ExpandedWindow] = []

    def size(self) -> int:
        return sum(len(index) for index in (*self.narrow, *self.expansions))


class CalendarCache:
    """Calendars as this process has read them. Threads may share it.

    It holds at most 64 calendars and 200,000 entries, and drops the least recently used calendar first.
    """

    def __init__(self) -> None:
        self._calendars: OrderedDict[CalendarKey, _Cached] = OrderedDict()
        self._lock = Lock()

    def narrow(self, key: CalendarKey, version: int, window: Interval) -> WindowIndex | None:
        """Return the narrow entries of at least `window` at this version of the calendar."""
        with self._lock:
            cached = self._calendars.get(key)
            return _find_covering(cached.narrow, window) if cached is not None and cached.version == version else None

    def keep_narrow(self, key: CalendarKey, version: int, index: WindowIndex) -> None:
        with self._lock:
            cached = self._of(key)
            if cached.version > version:
                return
            if cached.version < version:
                cached.version, cached.narrow = version, []
            cached.narrow = [*cached.narrow[-_MAX_WINDOWS + 1 :], index]
            self._limit_size()

    def advance(
        self, key: CalendarKey, version: int, gone: Collection[PlaceInCalendar], new: Collection[EntryView]
    ) -> None:
        """Carry what is cached of `version` over to the next version, without the `gone` entries and with the `new`
        ones.

        For a caller that wrote under the condition that the calendar was at `version`.
        """
        with self._lock:
            cached = self._calendars.get(key)
            if cached is None or cached.version != version:
                return
            cached.version = version + 1
            cached.narrow = [index.advance_to(gone, new) for index in cached.narrow]

    def find_recurring(self, key: CalendarKey, wide_version: int) -> RecurringEntries | None:
        with self._lock:
            cached = self._calendars.get(key)
            return cached.recurring if cached is not None and cached.wide_version == wide_version else None

    def keep_recurring(self, key: CalendarKey, wide_version: int, recurring: RecurringEntries) -> None:
        with self._lock:
            cached = self._of(key)
            if cached.wide_version < wide_version:
                cached.wide_version, cached.recurring, cached.expansions = wide_version, recurring, []

    def find_expansion(self, key: CalendarKey, recurring: RecurringEntries, window: Interval) -> ExpandedWindow | None:
        """Return an expansion of `recurring`, as one reader sees it, that covers `window`."""
        with self._lock:
            cached = self._of(key)
            return _find_covering([one for one in cached.expansions if one.recurring is recurring], window)

    def keep_expanded(self, key: CalendarKey, recurring: RecurringEntries, index: ExpandedWindow) -> None:
        """Cache an expansion for as long as `recurring` stays cached. `index` is the expansion for one reader."""
        with self._lock:
            cached = self._of(key)
            if cached.recurring is recurring:
                cached.expansions = [*cached.expansions[-_MAX_EXPANSIONS + 1 :], index]
                self._limit_size()

    def _of(self, key: CalendarKey) -> _Cached:
        cached = self._calendars.setdefault(key, _Cached())
        self._calendars.move_to_end(key)
        return cached

    def _limit_size(self) -> None:
        sizes = {key: cached.size() for key, cached in self._calendars.items()}
        total = sum(sizes.values())
        while len(self._calendars) > 1 and (len(self._calendars) > _MAX_CALENDARS or total > _MAX_SHOWN):
            key, _ = self._calendars.popitem(last=False)
            total -= sizes[key]


def _find_covering(indexes: list[_S], window: Interval) -> _S | None:
    """Return the first index that covers all of `window`."""
    start, end = window
    return next((one for one in indexes if one.window.start <= start and end <= one.window.end), None)
