"""The calendars of a project as the planner reads them together, those at providers included.

What a provider does not tell now does not fail a reading: what was last read of its calendar serves, and is named.
"""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.calendar.accounts.sync_records import SYNCS, SyncRecord
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.view import Shown
from almanac.families.calendar.model.availability import Interval
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.texts.shown import shown_text
from almanac.kernel.errors import AlmanacError
from almanac.kernel.instants import instant_at

MOST = 50
_ASKING_MS = 5_000
"""After so long no further provider is asked in one call."""
_OLD_MS = 15 * 60_000


class StaleCalendar(Struct, frozen=True, rename="camel"):
    """`as_of`: shown as it was then; null: not shown."""

    calendar_id: str
    calendar_name: str
    as_of: str | None
    problem: str


class Agendas:
    """Agendas to be read together, and the calendars that could not be."""

    def __init__(self, planner: Planner, agendas: Sequence[Agenda], stale: Sequence[StaleCalendar]) -> None:
        self.planner = planner
        self.all = tuple(agendas)
        self.stale = list(stale)

    def shown(self, agenda: Agenda, window: Interval) -> list[Shown]:
        """What the calendar holds in the window; nothing where only its provider knows and does not tell."""
        try:
            return agenda.planner.bookings.calendars.shown(agenda.calendar, window)
        except AlmanacError as problem:
            if agenda.calendar.is_native:
                raise
            if all(one.calendar_id != agenda.calendar.id for one in self.stale):
                self.stale.append(_stale(self.planner, agenda.calendar, None, problem))
            return []

    @property
    def ids(self) -> str:
        """Of the calendars, for cursors."""
        return " ".join(agenda.calendar.id for agenda in self.all)


def open_agendas(planner: Planner, wanted: Sequence[str] | None = None) -> Agendas:
    """For reading: every calendar, or those with the ids `wanted`. Raises NotFound for one that is not there."""
    calendars = planner.bookings.calendars
    every = calendars.listed()
    if wanted:
        known = {calendar.id: calendar for calendar in every}
        ids = dict.fromkeys(one.strip().removeprefix("native/") for one in wanted)
        every = [known.get(one) or calendars.find(one) for one in ids]
    fresh = _Freshness(planner)
    shown = every[:MOST]
    stale = [problem for calendar in shown if (problem := fresh.problem(calendar)) is not None]
    stale += [_stale(planner, one, None, "More than 50 calendars: name those to show.") for one in every[MOST:]]
    # A pull may have changed what was listed.
    agendas = [Agenda(planner, one if one.is_native else calendars.find(one.id)) for one in shown]
    return Agendas(planner, agendas, stale)


class _Freshness:
    """Brings shadows up to date, as far as providers answer in a reasonable time."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._calendars: Calendars = planner.bookings.calendars
        self._rows = SYNCS.within(planner.store, planner.scope)
        self._until = planner.now_ms() + _ASKING_MS
        self._silent: set[tuple[str, str | None]] = set()

    def problem(self, calendar: CalendarRecord) -> StaleCalendar | None:
        """None where what is shown of it is as it should be."""
        if not calendar.has_shadow:
            return None
        account = (calendar.provider, calendar.account)
        problem: AlmanacError | str = "Its provider did not answer just now."
        if account not in self._silent and self._planner.now_ms() < self._until:
            try:
                self._calendars.gateway.refresh(calendar, booking=False)
            except AlmanacError as raised:
                # Whoever does not answer for one calendar does not for the next.
                self._silent.add(account)
                problem = raised
            else:
                return None
        read = self._rows.get(calendar.id)
        if read is not None and self._planner.now_ms() - read.pulled_at < _OLD_MS:
            return None
        return _stale(self._planner, calendar, read, problem)


def _stale(
    planner: Planner, calendar: CalendarRecord, read: SyncRecord | None, problem: AlmanacError | str
) -> StaleCalendar:
    said = problem.message if isinstance(problem, AlmanacError) else problem
    as_of = instant_at(read.pulled_at).astimezone(planner.zone).isoformat(timespec="seconds") if read else None
    return StaleCalendar(calendar.id, shown_text("name", calendar.name).text, as_of, said)
