"""Scheduled pulls of connected calendars, for processes that read shadows without calling a provider."""

from collections.abc import Callable, Iterable, Sequence

from almanac.families.calendar.accounts.sync_records import PULL_FAILURES, SYNCS, PullFailure
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import OLD_MS, CalendarRecord
from almanac.kernel.errors import AlmanacError, NotFound

AT_ONCE = 10
"""Most calendars of one project that a round pulls."""
TURN_SECONDS = 5.0
"""After this long no further pull begins in the round of a project."""
_LONGEST_MS = 6 * 3_600_000


class CalendarRefresher:
    """Puller of one project's calendars. `monotonic` returns seconds."""

    def __init__(self, calendars: Calendars, monotonic: Callable[[], float]) -> None:
        self._calendars = calendars
        self._monotonic = monotonic
        self._syncs = SYNCS.within(calendars.store, calendars.scope)
        self._failures = PULL_FAILURES.within(calendars.store, calendars.scope)

    def run(self) -> None:
        """Pull outdated calendars.

        After each failure a calendar waits twice as long, up to six hours, so that an outdated password is not tried
        every minute. A call that uses the calendar gets the reason.
        """
        began = self._monotonic()
        silent: set[tuple[str, str | None]] = set()
        for calendar in self._due():
            if self._monotonic() - began >= TURN_SECONDS:
                return
            account = (calendar.provider, calendar.account)
            try:
                if account not in silent:
                    self._calendars.gateway.refresh(calendar, booking=False)
                    continue
            except NotFound:
                pass
            except AlmanacError:
                # An account that fails for one calendar would fail for its next one too.
                silent.add(account)
            self._record_failure(calendar)

    def next_at(self) -> int | None:
        """Return when the next pull is due, in ms since 1970; None if no calendar is connected."""
        shadows = [calendar for calendar in self._calendars.list_calendars() if calendar.has_shadow]
        pulled = self._pull_times(shadows)
        failures = self._failures.by_id(calendar.id for calendar in shadows)
        return min((_retry_at(pulled[each.id], failures.get(each.id)) for each in shadows), default=None)

    def _due(self) -> Sequence[CalendarRecord]:
        """Return the calendars to pull, longest unpulled first."""
        shadows = [calendar for calendar in self._calendars.list_calendars() if calendar.has_shadow]
        pulled = self._pull_times(shadows)
        now = self._calendars.now()
        old = [calendar for calendar in shadows if now - pulled[calendar.id] >= OLD_MS]
        waiting = self._find_waiting(old, pulled)
        ready = [calendar for calendar in old if calendar.id not in waiting]
        return sorted(ready, key=lambda calendar: pulled[calendar.id])[:AT_ONCE]

    def _pull_times(self, calendars: Iterable[CalendarRecord]) -> dict[str, int]:
        """Return when each calendar was last pulled, in milliseconds since 1970; 0 if it never was."""
        syncs = self._syncs.by_id(calendar.id for calendar in calendars)
        return {calendar.id: syncs[calendar.id].pulled_at if calendar.id in syncs else 0 for calendar in calendars}

    def _find_waiting(self, calendars: Iterable[CalendarRecord], pulled: dict[str, int]) -> set[str]:
        """Return the calendars that failed and have to wait, unless they were pulled since."""
        failures = self._failures.by_id(calendar.id for calendar in calendars)
        now = self._calendars.now()
        return {name for name, one in failures.items() if one.again_at > now and pulled[name] < one.failed_at}

    def _record_failure(self, calendar: CalendarRecord) -> None:
        now, before = self._calendars.now(), self._failures.get(calendar.id)
        waits = min(_LONGEST_MS, 2 * before.waits if before is not None else OLD_MS)
        failure = PullFailure(
            calendar=calendar.id, failed_at=now, waits=waits, again_at=now + waits, expires_at=now + 2 * _LONGEST_MS
        )
        self._calendars.store.write([self._failures.put(failure)])


def _retry_at(pulled_at: int, failure: PullFailure | None) -> int:
    old_at = pulled_at + OLD_MS
    return max(old_at, failure.again_at) if failure is not None and pulled_at < failure.failed_at else old_at
