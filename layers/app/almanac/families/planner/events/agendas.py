"""Combined reading of all calendars of a project, including those at providers.

If a provider does not answer, the call still succeeds: it shows the calendar as last read and lists it as stale. If a
call may read no further calendar, it lists the calendars it left out.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.families.calendar.accounts.sync_records import FRESH_SECONDS, PULL_FAILURES, SYNCS, SyncRecord
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.provider_gateway import NoProviders
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.entries.zone_change import apply_project_zone
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.planner.core.days import time_in_zone
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.texts.display_texts import display_text
from almanac.kernel.clock import thread_seconds
from almanac.kernel.errors import AlmanacError

CPU_SECONDS = 2.0
"""Processor time for reading the calendars of one call. A hundred empty ones take a tenth of it."""
_ASKING_MS = 5_000
"""Time after which one call asks no further provider."""
_OLD_MS = 15 * 60_000
"""Age from which a copy counts as old, if the last request to its provider did not fail."""


class StaleCalendar(Struct, frozen=True, rename="camel"):
    """`as_of`: shown as it was then; null: not shown."""

    calendar_id: str
    calendar_name: str
    as_of: str | None
    problem: str


class Agendas:
    """Calendars to be read together, and those that are stale."""

    def __init__(
        self,
        planner: Planner,
        agendas: Sequence[Agenda],
        stale: Sequence[StaleCalendar],
        cpu: Callable[[], float] | None = None,
    ) -> None:
        """`cpu` returns the processor seconds of this thread; the default asks the system."""
        cpu = cpu or thread_seconds
        self.planner = planner
        self.all = tuple(agendas)
        self.stale = list(stale)
        self._cpu = cpu
        self._until = cpu() + CPU_SECONDS

    def entries(self, agenda: Agenda, window: Interval) -> list[EntryView]:
        """Return the entries of a calendar in the window. Return none if its provider does not answer, or this call may
        take no more time."""
        if self._cpu() > self._until:
            self._note(agenda, "Not read: there are too many calendars for one call. Name those to show.")
            return []
        try:
            return agenda.planner.bookings.calendars.list_entries(agenda.calendar, window)
        except AlmanacError as problem:
            if agenda.calendar.is_native:
                raise
            self._note(agenda, problem)
            return []

    def _note(self, agenda: Agenda, problem: AlmanacError | str) -> None:
        if all(one.calendar_id != agenda.calendar.id for one in self.stale):
            self.stale.append(_stale(self.planner, agenda.calendar, None, problem))

    @property
    def ids(self) -> str:
        """The ids of the calendars, for cursors."""
        return " ".join(agenda.calendar.id for agenda in self.all)


def open_agendas(planner: Planner, calendar_ids: Sequence[str] = ()) -> Agendas:
    """Open all calendars for reading, "primary" first, or the named ones. Raises NotFound."""
    calendars = planner.bookings.calendars
    every = sorted(calendars.list_calendars(), key=lambda one: one.id != PRIMARY)
    if calendar_ids:
        by_id = {calendar.id: calendar for calendar in every}
        ids = dict.fromkeys(calendar_id.strip().removeprefix("native/") for calendar_id in calendar_ids)
        every = [by_id.get(id_) or calendars.find(id_) for id_ in ids]
    every = [_settle(calendars, one) for one in every]
    fresh = _Freshness(planner)
    stale = [problem for calendar in every if (problem := fresh.problem(calendar)) is not None]
    # A refresh may have changed the listed calendars.
    agendas = [Agenda(planner, one if one.is_native else calendars.find(one.id)) for one in every]
    return Agendas(planner, agendas, stale)


def _settle(calendars: Calendars, calendar: CalendarRecord) -> CalendarRecord:
    """Return the calendar with its floating times in the zone of the project. If others keep changing it, return it as
    it is."""
    try:
        return apply_project_zone(calendars, calendar, calendars.project_zone)
    except AlmanacError:
        return calendar


class _Freshness:
    """Refreshes copies of provider calendars while providers answer in reasonable time."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._calendars: Calendars = planner.bookings.calendars
        self._rows = planner.rows(SYNCS)
        self._until = planner.now_ms() + _ASKING_MS
        self._asks = not isinstance(self._calendars.gateway, NoProviders)
        self._failures = planner.rows(PULL_FAILURES)
        self._silent: dict[tuple[str, str | None], AlmanacError] = {}

    def problem(self, calendar: CalendarRecord) -> StaleCalendar | None:
        """Refresh a calendar. Return None if it is fresh enough."""
        if not calendar.has_shadow:
            return None
        account = (calendar.provider, calendar.account)
        problem = self._silent.get(account)
        if problem is None and self._asks and self._planner.now_ms() < self._until:
            try:
                self._calendars.gateway.refresh(calendar, booking=False)
            except AlmanacError as raised:
                # An account that fails for one calendar fails for the next.
                problem = self._silent[account] = raised
            else:
                return None
        read = self._rows.get(calendar.id)
        failed = problem is not None or self._has_failed(calendar, read)
        old = FRESH_SECONDS * 1000 if failed else _OLD_MS
        if read is not None and self._planner.now_ms() - read.pulled_at < old:
            return None
        sentence = "Its provider did not answer just now." if failed else "Its provider was not asked just now."
        return _stale(self._planner, calendar, read, problem or sentence)

    def _has_failed(self, calendar: CalendarRecord, read: SyncRecord | None) -> bool:
        """Return whether the last scheduled refresh failed, and none has succeeded since."""
        failure = self._failures.get(calendar.id)
        return failure is not None and (read is None or read.pulled_at < failure.failed_at)


def _stale(
    planner: Planner, calendar: CalendarRecord, read: SyncRecord | None, problem: AlmanacError | str
) -> StaleCalendar:
    message = problem.message if isinstance(problem, AlmanacError) else problem
    as_of = time_in_zone(planner, read.pulled_at) if read else None
    return StaleCalendar(calendar.id, display_text("name", calendar.name).text, as_of, message)
