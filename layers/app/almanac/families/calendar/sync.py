"""Calendars at providers: who speaks for them, and how their shadows are kept."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.calendars import Calendars
from almanac.families.calendar.credentials import AccountRecord, Accounts
from almanac.families.calendar.filing import Author
from almanac.families.calendar.providers.port import Changes, Provider
from almanac.families.calendar.providers.pulled import Pulled
from almanac.families.calendar.records import CalendarRecord
from almanac.families.calendar.shadow import Alteration, Shadow, batches, write_batch
from almanac.families.calendar.sync_records import SYNCS, SyncRecord
from almanac.kernel.errors import AlmanacError, Forbidden, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.port import Change, ConditionFailed

FRESH_SECONDS = 60
"""How old a shadow may be that is only read. Before a booking the provider is always asked."""
_TRIES = 5
_MOST_PAGES = 1_000
_UNREADABLE_KEPT = 20


class Opens(Protocol):
    def provider(self, accounts: Accounts, record: AccountRecord) -> Provider:
        """The provider that speaks for an account. Raises Forbidden where its secret does not open."""
        ...


class SyncReport(Struct, frozen=True):
    """What a pull did: how many events came or changed, how many went, and which could not be read."""

    changed: int
    removed: int
    unreadable: tuple[str, ...] = ()


class ConnectedCalendars:
    """The `Remotes` of one project. `calendars` is used for writing shadows only: its own remotes do not matter."""

    def __init__(
        self,
        calendars: Calendars,
        accounts: Accounts,
        connections: Opens,
        random_bytes: RandomBytes,
        *,
        fresh_seconds: int = FRESH_SECONDS,
    ) -> None:
        self._calendars = calendars
        self._accounts = accounts
        self._connections = connections
        self._random_bytes = random_bytes
        self._fresh_ms = fresh_seconds * 1000
        self._rows = SYNCS.within(calendars.store, calendars.scope)

    def provider(self, calendar: CalendarRecord) -> Provider:
        account = self._accounts.find(calendar.provider, calendar.account or "")
        return self._connections.provider(self._accounts, account)

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        return self.provider(calendar).busy(calendar.at_provider(), window)

    def discover(self, calendar_id: str) -> CalendarRecord | None:  # noqa: ARG002 - the port's
        """None: these are the calendars that were listed; a Connector asks for newer ones."""
        return None

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:
        state = self._rows.get(calendar.id)
        if not booking and state is not None and self._calendars.now() - state.pulled_at < self._fresh_ms:
            return
        try:
            self.sync(calendar)
        except Unavailable as down:
            raise Unavailable(f"{down.message} {self._age(calendar, state)}", _hint(down)) from down
        except Forbidden as refused:
            message = f"{refused.message} {self._age(calendar, state)}"
            raise Forbidden(message, refused.hint, code=refused.code) from refused

    def sync(self, calendar: CalendarRecord) -> SyncReport:
        """Pulls what changed. Raises Unavailable or Forbidden, naming the provider; the shadow then stays as it is."""
        provider = self.provider(calendar)
        for _ in range(_TRIES):
            try:
                return _Pull(self._calendars, calendar.id, provider, self._random_bytes).run()
            except ConditionFailed:
                # Somebody wrote to the calendar while the provider answered: what it said may be older than that.
                continue
        raise Unavailable(f"The calendar {calendar.id} is being changed all the time.", "Repeat the call in a moment.")

    def state(self, calendar: CalendarRecord) -> SyncRecord | None:
        """When and how far the shadow was read; None where it never was."""
        return self._rows.get(calendar.id)

    def _age(self, calendar: CalendarRecord, state: SyncRecord | None) -> str:
        if state is None:
            return f"The calendar {calendar.id} was never read from it."
        return f"What is known of the calendar {calendar.id} is {_span(self._calendars.now() - state.pulled_at)} old."


class _Pull:
    """One pull, all pages of it. Raises ConditionFailed where somebody else writes to the calendar meanwhile."""

    def __init__(self, calendars: Calendars, calendar_id: str, provider: Provider, random_bytes: RandomBytes) -> None:
        self._calendars = calendars
        self._provider = provider
        self._rows = SYNCS.within(calendars.store, calendars.scope)
        self._calendar = calendars.find(calendar_id)
        self._author = Author(f"sync:{self._calendar.provider}", calendars.now(), random_bytes)
        self._seen: set[str] = set()
        self._changed = 0
        self._removed = 0
        self._waiting = False
        self._unreadable: list[str] = []

    def run(self) -> SyncReport:
        state = self._rows.get(self._calendar.id)
        token = state.token if state is not None else None
        reset = False
        for _ in range(_MOST_PAGES):
            page = self._provider.changes(self._calendar.at_provider(), token)
            if page.reset and not reset:
                # The provider forgot the token: what came before does not count.
                reset = True
                self._seen.clear()
            self._apply(page, reset=reset)
            token = page.token
            if page.complete:
                return SyncReport(self._changed, self._removed, tuple(self._unreadable))
        raise Unavailable(f"{self._provider.name} does not come to an end.", "Try again later.")

    def _apply(self, page: Changes, *, reset: bool) -> None:
        if isinstance(page, Pulled):
            self._unreadable += page.unreadable
        shadow = Shadow(self._calendars, self._calendar, self._author)
        came = list(shadow.take(page.events))
        gone = [one for event_id in page.removed_ids for one in shadow.remove(event_id)]
        self._seen.update(event.id for event in page.events)
        if reset and page.complete:
            gone += shadow.remove_others(self._seen)
        self._changed += len(came)
        self._removed += len(gone)
        self._waiting = self._waiting or shadow.waiting or not self._deleted(shadow.orphans)
        # A token stands for everything up to it: it is kept only once all of that is in the shadow.
        final = self._state(page.token) if page.complete or not (reset or self._waiting) else None
        self._write([*came, *gone], final)

    def _deleted(self, orphans: Sequence[str]) -> bool:
        """Whether they are gone at the provider. Where it cannot be done now, what they are read with is read again."""
        try:
            for event_id in orphans:
                self._provider.delete(self._calendar.at_provider(), event_id, None)
        except AlmanacError:
            return False
        return True

    def _state(self, token: str | None) -> Change:
        former = self._rows.get(self._calendar.id)
        kept = (former.token if former is not None else None) if self._waiting else token
        return self._rows.put(
            SyncRecord(
                calendar=self._calendar.id,
                token=kept,
                pulled_at=self._calendars.now(),
                unreadable=tuple(self._unreadable[:_UNREADABLE_KEPT]),
            )
        )

    def _write(self, alterations: Sequence[Alteration], final: Change | None) -> None:
        held = list(batches(alterations, spare=2))
        for number, batch in enumerate(held, start=1):
            more = [final] if final is not None and number == len(held) else []
            self._calendar = write_batch(self._calendars, self._calendar, batch, more)
        if not held and final is not None:
            self._calendars.store.write([final])


def _hint(down: AlmanacError) -> str:
    return f"{down.hint} Native calendars work meanwhile.".strip()


def _span(ms: int) -> str:
    minutes = max(0, ms) // 60_000
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = minutes // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"
