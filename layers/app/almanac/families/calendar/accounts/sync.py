"""Connected calendars: their provider clients, and the pulls that keep their shadows up to date."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.accounts.credentials import AccountRecord, Accounts
from almanac.families.calendar.accounts.shadow import Alteration, Shadow, batches, series_id, write_batch
from almanac.families.calendar.accounts.sync_records import FRESH_SECONDS, READER, SYNCS, SyncRecord
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.unreadable_events import UnreadableCount, UnreadableEvents
from almanac.families.calendar.entries.writer import Author
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.caldav.resources import resource_of
from almanac.families.calendar.providers.partial_pull import PartialPull
from almanac.families.calendar.providers.port import Changes, Provider
from almanac.families.calendar.providers.timely import TimelyProvider
from almanac.families.calendar.providers.transport.deadlines import Deadline
from almanac.kernel.errors import AlmanacError, Forbidden, NotFound, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.port import MAX_CHANGES, Change, ConditionFailed

_TRIES = 5
_MOST_PAGES = 1_000
_UNREAD_NAMED = 20


class Opens(Protocol):
    def provider(self, accounts: Accounts, record: AccountRecord) -> Provider:
        """Return the provider of an account. Raises Forbidden if its secret cannot be opened."""
        ...


class SyncReport(Struct, frozen=True):
    """Result of a pull: how many events were new or changed, and how many were removed.

    `unread` counts events that could be read only in part, or not at all.
    """

    changed: int
    removed: int
    unread: UnreadableCount = UnreadableCount(0, False, ())


class ConnectedCalendars:
    """`ProviderGateway` of one project.

    `calendars` is used only to write shadows, so its own gateway does not matter. Exchanges with providers end by the
    `deadline`, if there is one.
    """

    def __init__(
        self,
        calendars: Calendars,
        accounts: Accounts,
        connections: Opens,
        random_bytes: RandomBytes,
        *,
        deadline: Deadline | None = None,
    ) -> None:
        self._calendars = calendars
        self._accounts = accounts
        self._connections = connections
        self._random_bytes = random_bytes
        self._deadline = deadline
        self._rows = SYNCS.within(calendars.store, calendars.scope)

    def provider(self, calendar: CalendarRecord) -> Provider:
        account = self._accounts.find(calendar.provider, calendar.account or "")
        return self.provider_of(account)

    def provider_of(self, account: AccountRecord) -> Provider:
        """Return the provider of an account. Raises Forbidden if its secret cannot be opened."""
        provider = self._connections.provider(self._accounts, account)
        return TimelyProvider(provider, self._deadline) if self._deadline is not None else provider

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        return self.provider(calendar).busy(calendar.at_provider(), window)

    def discover(self, calendar_id: str) -> CalendarRecord | None:  # noqa: ARG002 - the port's
        """Return None: this gateway knows only listed calendars. A Connector asks for newer ones."""
        return None

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:
        state = self._rows.get(calendar.id)
        if not booking and state is not None and self._calendars.now() - state.pulled_at < FRESH_SECONDS * 1000:
            return
        try:
            self.sync(calendar)
        except Unavailable as down:
            raise Unavailable(f"{down.message} {self._age(calendar, state)}", _hint(down)) from down
        except Forbidden as refused:
            message = f"{refused.message} {self._age(calendar, state)}"
            raise Forbidden(message, refused.hint, code=refused.code) from refused

    def sync(self, calendar: CalendarRecord) -> SyncReport:
        """Pull the changes. Raises Unavailable or Forbidden with the provider's name; the shadow then stays as
        it is."""
        provider = self.provider(calendar)
        for _ in range(_TRIES):
            try:
                return _Pull(self._calendars, calendar.id, provider, self._random_bytes).run()
            except ConditionFailed:
                # Another writer changed the calendar during the pull, so the provider's answer may be older than that
                # change.
                continue
            except NotFound:
                # A calendar that is created again at this address is a new one, and is read from its beginning.
                self._begin_anew(calendar)
                raise
        raise Unavailable(
            f"The calendar {calendar.id} is being changed by other calls.", "Repeat the call in a moment."
        )

    def state(self, calendar: CalendarRecord) -> SyncRecord | None:
        """Return when and how far the shadow was read; None if it never was."""
        return self._rows.get(calendar.id)

    def _begin_anew(self, calendar: CalendarRecord) -> None:
        state = self._rows.get(calendar.id)
        if state is not None and state.token is not None:
            self._calendars.store.write([self._rows.put(replace(state, token=None))])

    def _age(self, calendar: CalendarRecord, state: SyncRecord | None) -> str:
        if state is None:
            return f"The calendar {calendar.id} was never read from it."
        return f"What is known of the calendar {calendar.id} is {_span(self._calendars.now() - state.pulled_at)} old."


class _Pull:
    """One pull with all of its pages. Raises ConditionFailed if another writer changes the calendar meanwhile."""

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
        self._unread = UnreadableEvents(calendars.store, calendars.scope)
        self._lost = set(self._unread.unread(calendar_id))
        self._found_lost: set[str] = set()

    def run(self) -> SyncReport:
        state = self._rows.get(self._calendar.id)
        token = state.token if state is not None and state.reader == READER else None
        reset = False
        for _ in range(_MOST_PAGES):
            page = self._provider.changes(self._calendar.at_provider(), token)
            if page.reset and not reset:
                # The provider forgot the token, so earlier pages do not count.
                reset = True
                self._seen.clear()
                self._found_lost.clear()
            self._apply(page, reset=reset)
            token = page.token
            if page.complete:
                return SyncReport(
                    self._changed, self._removed, self._unread.count(self._calendar.id, named=_UNREAD_NAMED)
                )
        raise Unavailable(f"{self._provider.name} keeps sending more pages and never finishes.", "Try again later.")

    def _apply(self, page: Changes, *, reset: bool) -> None:
        lost = {one.id: one.said for one in page.unreadable} if isinstance(page, PartialPull) else {}
        shadow = Shadow(self._calendars, self._calendar, self._author)
        came = list(shadow.take(page.events))
        removed = [one for event_id in page.removed_ids for one in shadow.remove(event_id)]
        # For events that can no longer be read, their last readable version stays.
        self._seen.update(event.id for event in page.events)
        self._seen.update(lost)
        if reset and page.complete:
            removed += shadow.remove_others(self._seen.__contains__)
        elif (standing := page.standing) is not None:
            removed += shadow.remove_others(lambda event_id: series_id(event_id) in standing)
        self._changed += len(came)
        self._removed += len(removed)
        self._waiting = self._waiting or shadow.waiting or not self._delete(shadow.orphans)
        # A token covers everything before it, so it is stored only once all of that is in the shadow.
        final = self._state(page.token) if page.complete or not (reset or self._waiting) else None
        resources = {resource_of(event.id)[0] for event in page.events} | set(page.removed_ids)
        self._found_lost.update(lost)
        over = self._lost - self._found_lost if reset and page.complete else (self._lost & resources) - set(lost)
        if not reset and page.standing is not None:
            over |= self._lost - page.standing
        self._write([*came, *removed], final, self._unread.changes(self._calendar.id, lost, over))
        self._lost -= over

    def _delete(self, orphans: Sequence[str]) -> bool:
        """Delete the events at the provider and return whether that worked; otherwise the next pull tries again."""
        try:
            for event_id in orphans:
                self._provider.delete(self._calendar.at_provider(), event_id, None)
        except AlmanacError:
            return False
        return True

    def _state(self, token: str | None) -> Change:
        former = self._rows.get(self._calendar.id)
        former_token = former.token if former is not None and former.reader == READER else None
        next_token = former_token if self._waiting else token
        return self._rows.put(
            SyncRecord(
                calendar=self._calendar.id,
                token=next_token,
                pulled_at=self._calendars.now(),
                reader=READER,
            )
        )

    def _write(self, alterations: Sequence[Alteration], final: Change | None, unread: Sequence[Change]) -> None:
        # Write these before the token, which means that everything was seen.
        for begin in range(0, len(unread), MAX_CHANGES):
            self._calendars.store.write(unread[begin : begin + MAX_CHANGES])
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
