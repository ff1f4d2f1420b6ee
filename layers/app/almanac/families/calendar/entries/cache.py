"""What this process has read of calendars, by the version at which it was read."""

from collections import OrderedDict
from collections.abc import Collection
from threading import Lock
from typing import TypeVar

from almanac.families.calendar.entries.records import PlaceInCalendar
from almanac.families.calendar.entries.view import RecurringEntries, Shown
from almanac.families.calendar.entries.window_index import Expanded, WindowIndex, aligned, covers
from almanac.families.calendar.model.availability import Interval

_DAY_MS = 86_400_000
_BLOCK_MS = 64 * _DAY_MS
"""Series are expanded for so long at least: the next window is often nearby."""
_MAX_CALENDARS = 64
_MAX_STRETCHES = 4
_MAX_EXPANSIONS = 8
_MAX_SHOWN = 200_000

_S = TypeVar("_S", WindowIndex, Expanded)
CalendarKey = tuple[str, str, str]
"""Tenant, project, calendar."""


class _Remembered:
    __slots__ = ("expansions", "narrow", "version", "wide", "wide_version")

    def __init__(self) -> None:
        self.version = self.wide_version = -1
        self.wide: RecurringEntries | None = None
        self.narrow: list[WindowIndex] = []
        self.expansions: list[Expanded] = []

    def size(self) -> int:
        return sum(len(stretch) for stretch in (*self.narrow, *self.expansions))


class CalendarCache:
    """What this process has read of calendars, each at the version at which it was read.

    Bounded: 64 calendars and 200,000 entries; who was not asked for longest goes first. Threads may share it.
    """

    def __init__(self) -> None:
        self._calendars: OrderedDict[CalendarKey, _Remembered] = OrderedDict()
        self._lock = Lock()

    def narrow(self, key: CalendarKey, version: int, window: Interval) -> WindowIndex | None:
        """Narrow entries from `window.start` to `window.end` at this version of the calendar, or more of them."""
        with self._lock:
            known = self._calendars.get(key)
            return _covering(known.narrow, window) if known is not None and known.version == version else None

    def keep_narrow(self, key: CalendarKey, version: int, stretch: WindowIndex) -> None:
        with self._lock:
            known = self._of(key)
            if known.version > version:
                return
            if known.version < version:
                known.version, known.narrow = version, []
            known.narrow = [*known.narrow[-_MAX_STRETCHES + 1 :], stretch]
            self._bound()

    def advance(
        self, key: CalendarKey, version: int, gone: Collection[PlaceInCalendar], new: Collection[Shown]
    ) -> None:
        """What is remembered of `version` is now of the next one, but for entries that went and that came.

        For whoever wrote under the condition that the calendar was at `version`."""
        with self._lock:
            known = self._calendars.get(key)
            if known is None or known.version != version:
                return
            known.version = version + 1
            known.narrow = [stretch.altered(gone, new) for stretch in known.narrow]

    def wide(self, key: CalendarKey, wide_version: int) -> RecurringEntries | None:
        with self._lock:
            known = self._calendars.get(key)
            return known.wide if known is not None and known.wide_version == wide_version else None

    def keep_wide(self, key: CalendarKey, wide_version: int, wide: RecurringEntries) -> None:
        with self._lock:
            known = self._of(key)
            if known.wide_version < wide_version:
                known.wide_version, known.wide, known.expansions = wide_version, wide, []

    def expanded(self, key: CalendarKey, wide: RecurringEntries, window: Interval, reader: str) -> Expanded:
        """`wide` in at least `window`, as a reader in that zone sees it; remembered while the wide entries stay as they
        are."""
        read = wide.read_in(reader)
        with self._lock:
            known = self._of(key)
            found = _covering([one for one in known.expansions if one.wide is read], window)
        if found is not None:
            return found
        block = aligned(window, _BLOCK_MS if window.end - window.start <= _BLOCK_MS else _DAY_MS)
        stretch = Expanded(block, read)
        with self._lock:
            known = self._of(key)
            if known.wide is wide:
                known.expansions = [*known.expansions[-_MAX_EXPANSIONS + 1 :], stretch]
                self._bound()
        return stretch

    def _of(self, key: CalendarKey) -> _Remembered:
        known = self._calendars.setdefault(key, _Remembered())
        self._calendars.move_to_end(key)
        return known

    def _bound(self) -> None:
        sizes = {key: known.size() for key, known in self._calendars.items()}
        total = sum(sizes.values())
        while len(self._calendars) > 1 and (len(self._calendars) > _MAX_CALENDARS or total > _MAX_SHOWN):
            key, _ = self._calendars.popitem(last=False)
            total -= sizes[key]


def _covering(stretches: list[_S], window: Interval) -> _S | None:
    return next((one for one in stretches if covers(one, window)), None)
