"""Calendars of a project: their records, and the entries and busy time in a window."""

import copy
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from zoneinfo import ZoneInfo

import msgspec

from almanac.families.calendar.entries.cache import CalendarCache, CalendarKey, cache_key
from almanac.families.calendar.entries.codec import read_entries
from almanac.families.calendar.entries.provider_gateway import NoProviders, ProviderGateway
from almanac.families.calendar.entries.records import (
    CALENDARS,
    POINTERS,
    CalendarRecord,
    Pointer,
    Reach,
    primary_calendar,
)
from almanac.families.calendar.entries.versioned_writes import VersionedWrites
from almanac.families.calendar.entries.view import EntryView, RecurringEntries, busy_block, event_of, in_window
from almanac.families.calendar.entries.window_index import ExpandedWindow, WindowIndex, align, narrow_starts
from almanac.families.calendar.entries.zone_change import apply_project_zone, finish_rezoning
from almanac.families.calendar.model.availability import Interval, merge
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instances import without_tombstones
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.time.core.zones import find_zone, is_zone
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, Forbidden, NotFound, Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import ConditionFailed, Store

_MAX_READS = 20
_DAY = 86_400_000
_BLOCK = 64 * _DAY
"""Least time for which series are expanded, in ms: the next window is often nearby."""


class Calendars:
    """Calendars of one project. All projects and threads of a process may share `cache`.

    Whole days follow the clocks of `default_zone`, the reader's zone, or those of the calendar if it is None. Floating
    times of calendars without a zone are read in `project_zone`, the project's zone as the server knows it.
    """

    def __init__(
        self,
        store: Store,
        scope: Scope,
        *,
        clock: Clock,
        cache: CalendarCache | None = None,
        gateway: ProviderGateway | None = None,
        default_zone: str | None = None,
        project_zone: str | None = None,
    ) -> None:
        self.store = store
        self.scope = scope
        self.gateway: ProviderGateway = gateway or NoProviders()
        self._clock = clock
        self._cache = cache or CalendarCache()
        self.default_zone = default_zone
        self.project_zone = project_zone
        self._rows = CALENDARS.within(store, scope)
        self.versioned_writes = VersionedWrites(store, scope, self._cache)

    def read_in(self, zone: str) -> "Calendars":
        """Return the same calendars for a reader whose days are those of `zone`."""
        other = copy.copy(self)
        other.default_zone = zone
        return other

    def reader_zone(self, calendar: CalendarRecord) -> ZoneInfo:
        """Return the zone of whole days for the reader. Raises InvalidInput for an unknown zone."""
        return find_zone(self.default_zone or calendar.known_zone or "UTC")

    def lacks_zone(self, calendar: CalendarRecord) -> bool:
        """Return whether floating times of a calendar are read in UTC because the database has no zone of that name,
        or because its provider gives none."""
        name = calendar.known_zone or self.project_zone
        return not is_zone(name) if name is not None else not calendar.is_native

    def now(self) -> int:
        """Return the time in milliseconds since 1970."""
        return now_ms(self._clock)

    def list_calendars(self) -> list[CalendarRecord]:
        """Return all calendars by id, with "primary" even before its first use."""
        records = list(self._rows.every(page=1000))
        if all(calendar.id != PRIMARY for calendar in records):
            records.append(primary_calendar(self.now()))
        return sorted(records, key=lambda calendar: calendar.id)

    def find(self, calendar_id: str) -> CalendarRecord:
        """Return the calendar with that id. Raises NotFound."""
        name = calendar_id.strip().removeprefix("native/")
        record = self._rows.get(name) if name else None
        if record is None and name == PRIMARY:
            return primary_calendar(self.now())
        record = record or self.gateway.discover(name)
        if record is None:
            raise NotFound(
                f'There is no calendar "{calendar_id[:80]}" in this project.',
                'list_calendars lists them; "primary" always exists.',
            )
        return record

    def readable(self, calendar_id: str) -> CalendarRecord:
        """Return the calendar after bringing its copy of a provider's calendar up to date."""
        calendar = apply_project_zone(self, self.find(calendar_id), self.project_zone)
        if calendar.has_shadow:
            self.gateway.refresh(calendar, booking=False)
        return calendar

    def writable(self, calendar_id: str) -> CalendarRecord:
        """Return the calendar, stored and up to date. Raises Forbidden if it is read-only."""
        calendar = apply_project_zone(self, self.find_or_create(calendar_id), self.project_zone)
        if calendar.is_read_only:
            raise Forbidden(
                f"The calendar {calendar.id} is read-only for this project.",
                "Use a calendar whose access_role is owner or writer.",
            )
        if not calendar.is_native:
            self.gateway.refresh(calendar, booking=True)
            calendar = self.find(calendar.id)
        return finish_rezoning(self, calendar)

    def find_or_create(self, calendar_id: str) -> CalendarRecord:
        """Return the calendar with that id. "primary" is created at its first use."""
        calendar = self.find(calendar_id)
        if calendar.version:
            return calendar
        with suppress(Conflict):
            self.create(calendar)
        return self.find(calendar.id)

    def create(self, calendar: CalendarRecord) -> CalendarRecord:
        """Store a new calendar. Raises Conflict if its id is taken, InvalidInput for an unknown zone."""
        zone = find_zone(calendar.timezone).key if calendar.timezone is not None else None
        # Versions begin at the creation time, so that no cache has a version of a calendar that is created again.
        now = self.now()
        calendar = msgspec.structs.replace(calendar, timezone=zone, version=now, wide_version=now)
        try:
            self.store.write([self._rows.insert(calendar)])
        except ConditionFailed:
            raise Conflict(f"There is a calendar {calendar.id} already.", "Use it, or choose another id.") from None
        return calendar

    def list_entries(self, calendar: CalendarRecord, window: Interval, *, settled: bool = True) -> list[EntryView]:
        """Return the live entries in `window` by start.

        With `settled`, all entries are as of one moment. Otherwise each is as of some moment since `calendar` was read.
        """
        narrow, wide = self._indexes(calendar, window, settled=settled)
        return in_window([*narrow.near(window), *wide.near(window)], window, self.now())

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        """Return the merged busy time in `window`, as of one moment."""
        narrow, wide = self._indexes(calendar, window, settled=True)
        now = self.now()
        expiring = [
            one.interval for one in (*narrow.expiring_entries, *wide.expiring_entries) if (one.expires_at or 0) > now
        ]
        return merge([*narrow.permanent_busy, *wide.permanent_busy, *expiring], window)

    def pointer(self, calendar: CalendarRecord, key: str) -> Pointer | None:
        """Return the place where the event or hold with that id is stored."""
        return POINTERS.within(self.store, self.scope).get(calendar.id, key)

    def event(self, calendar: CalendarRecord, event_id: str) -> Event | None:
        """Return the event with that id; a series as a whole."""
        pointer = self.pointer(calendar, event_id)
        return self.event_at(calendar, pointer) if pointer is not None and pointer.state == "stands" else None

    def event_at(self, calendar: CalendarRecord, pointer: Pointer) -> Event | None:
        """Return the event at the pointer; None for a hold, and for an event that has moved since."""
        starts = Interval(pointer.place.start, pointer.place.start + 1)
        entries = self._read(calendar, pointer.place.reach, starts)
        return next((event_of(one) for one in entries if one.filed == pointer.place), None)

    def events(self, calendar: CalendarRecord) -> list[Event]:
        """Return all events by start, series as a whole. Raises Forbidden for a calendar that shares no events."""
        if calendar.access_role == "freeBusyReader":
            raise Forbidden(
                f"The calendar {calendar.id} shares only free and busy times.", "Ask its owner to share its events."
            )
        entries = chain(self._read(calendar, "wide"), self._read(calendar, "narrow"))
        decoded = (event_of(one) for one in entries if one.kind == "event")
        current = without_tombstones((event for event in decoded if event is not None), calendar.zone)
        return sorted(current, key=lambda event: (str(event.start), event.id))

    def _indexes(
        self, calendar: CalendarRecord, window: Interval, *, settled: bool
    ) -> tuple[WindowIndex, ExpandedWindow]:
        """Return the narrow entries, and the wide ones with series expanded, by the reader's days."""
        reader = self.reader_zone(calendar)
        narrow, wide = self._read_indexes(calendar, window, reader, settled=settled)
        return narrow.read_in(reader), wide

    def _read_indexes(
        self, calendar: CalendarRecord, window: Interval, reader: ZoneInfo, *, settled: bool
    ) -> tuple[WindowIndex, ExpandedWindow]:
        if calendar.access_role == "freeBusyReader":
            busy = self.gateway.busy(calendar, window)
            return WindowIndex(window, (busy_block(one, calendar.zone) for one in busy)), ExpandedWindow(window)
        if calendar.version == 0:
            return WindowIndex(window, ()), ExpandedWindow(window)
        key = cache_key(self.scope, calendar)
        for _ in range(_MAX_READS):
            narrow = self._cache.narrow(key, calendar.version, window)
            wide = self._cache.find_recurring(key, calendar.wide_version)
            if narrow is not None and wide is not None:
                return narrow, self._expand(key, wide, window, reader)
            # Callers often repeat a window of days that begins a little later.
            span = align(window, _DAY) if settled and window.end - window.start >= _DAY else window
            fresh = narrow
            if fresh is None:
                fresh = WindowIndex(span, self._read(calendar, "narrow", narrow_starts(span)))
            if wide is not None and not settled:
                return fresh, self._expand(key, wide, window, reader)
            read = wide or RecurringEntries(self._read(calendar, "wide"), calendar.zone)
            current = self.find(calendar.id)
            if current.wide_version == calendar.wide_version:
                self._cache.keep_recurring(key, calendar.wide_version, read)
            if current.version == calendar.version:
                self._cache.keep_narrow(key, calendar.version, fresh)
            if current.version == calendar.version or not settled:
                return fresh, self._expand(key, read, window, reader)
            calendar = current
        raise Unavailable(
            f"The calendar {calendar.id} is being changed by other calls.", "Repeat the call in a moment."
        )

    def _expand(
        self, key: CalendarKey, recurring: RecurringEntries, window: Interval, reader: ZoneInfo
    ) -> ExpandedWindow:
        """Return `recurring` in at least `window`, as a reader in that zone sees it."""
        seen_by_reader = recurring.read_in(reader)
        expansion = self._cache.find_expansion(key, seen_by_reader, window)
        if expansion is None:
            block = align(window, _BLOCK if window.end - window.start <= _BLOCK else _DAY)
            expansion = ExpandedWindow(block, seen_by_reader)
            self._cache.keep_expanded(key, recurring, expansion)
        return expansion

    def _read(self, calendar: CalendarRecord, reach: Reach, starts: Interval | None = None) -> Iterator[EntryView]:
        return read_entries(self.store, self.scope, calendar.id, calendar.zone, reach, starts)
