"""Writes of entries of calendars, each of which counts the version of its calendar up."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from almanac.families.calendar.entries.cache import CalendarCache, cache_key
from almanac.families.calendar.entries.records import CALENDARS, CalendarRecord, PlaceInCalendar
from almanac.families.calendar.entries.view import Shown
from almanac.kernel.caller import Scope
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Store, Update


class VersionedWrites:
    """To the calendars of one project, of which `cache` keeps what was read."""

    def __init__(self, store: Store, scope: Scope, cache: CalendarCache) -> None:
        self._store = store
        self._scope = scope
        self._cache = cache
        self._rows = CALENDARS.within(store, scope)

    def write(
        self,
        calendar: CalendarRecord,
        changes: Sequence[Change],
        *,
        gone: Collection[PlaceInCalendar] = (),
        new: Collection[Shown] = (),
    ) -> None:
        """Make the changes if the calendar is still as it was read: ConditionFailed with change 0 where it is not.

        `gone` and `new` are the entries that the changes remove and add.
        """
        bump = self._bump(calendar, [*gone, *(one.filed for one in new)])
        self._store.write([replace(bump, condition=Equals("version", calendar.version)), *changes])
        self._cache.advance(cache_key(self._scope, calendar), calendar.version, gone, new)

    def write_fenced(
        self, calendar: CalendarRecord, changes: Sequence[Change], touched: Collection[PlaceInCalendar]
    ) -> None:
        """Make changes that carry conditions of their own, whatever else happened in the calendar meanwhile."""
        self._store.write([*changes, self._bump(calendar, touched)])

    def _bump(self, calendar: CalendarRecord, touched: Collection[PlaceInCalendar]) -> Update:
        wide = any(place.reach == "wide" for place in touched)
        return Update(self._rows.key(calendar.id), add={"version": 1, "wide_version": 1} if wide else {"version": 1})
