"""Writes of calendar entries. Each write increments the version of its calendar."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from almanac.families.calendar.entries.cache import CalendarCache, cache_key
from almanac.families.calendar.entries.records import CALENDARS, CalendarRecord, PlaceInCalendar
from almanac.families.calendar.entries.view import EntryView
from almanac.kernel.caller import Scope
from almanac.platform.bus.outbox import without_outbox
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, OutboxPut, Store, Update


class VersionedWrites:
    """Versioned writes to the calendars of one project. They also update `cache`."""

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
        new: Collection[EntryView] = (),
    ) -> None:
        """Make the changes if the calendar is still as it was read; otherwise ConditionFailed with change 0.

        `gone` and `new` are the entries that the changes remove and add.
        """
        touched = [*gone, *(one.filed for one in new)]
        # Each write of a native calendar writes its head anyway, so the head carries the announcements in order at no
        # extra cost.
        others, messages = without_outbox(changes, "calendar/") if calendar.is_native else (changes, [])
        self._store.write([self._head(calendar, messages, touched), *others])
        self._cache.advance(cache_key(self._scope, calendar), calendar.version, gone, new)

    def write_fenced(
        self, calendar: CalendarRecord, changes: Sequence[Change], touched: Collection[PlaceInCalendar]
    ) -> None:
        """Write changes that have separate conditions, even if the calendar has changed since it was read."""
        self._store.write([*changes, self._bump(calendar, touched)])

    def _head(self, calendar: CalendarRecord, messages: list[str], touched: Collection[PlaceInCalendar]) -> Change:
        """Return the calendar's next version, if it is unchanged since it was read, with messages for the
        change feed."""
        unchanged = Equals("version", calendar.version)
        if not messages:
            families = ("messages",) if calendar.messages else ()
            return replace(self._bump(calendar, touched), condition=unchanged, remove=families)
        wide = calendar.wide_version + _is_wide(touched)
        head = replace(calendar, version=calendar.version + 1, wide_version=wide, messages=tuple(messages))
        put = self._rows.put(head, unchanged)
        return OutboxPut(put.key, put.attributes, put.condition)

    def _bump(self, calendar: CalendarRecord, touched: Collection[PlaceInCalendar]) -> Update:
        counted = {"version": 1, "wide_version": 1} if _is_wide(touched) else {"version": 1}
        return Update(self._rows.key(calendar.id), add=counted)


def _is_wide(touched: Collection[PlaceInCalendar]) -> bool:
    return any(place.reach == "wide" for place in touched)
