"""Connecting and disconnecting of accounts: lists their calendars, or deletes everything read from them."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from almanac.families.calendar.accounts.connections import Connections
from almanac.families.calendar.accounts.credentials import AccountRecord, Accounts, CalDavSecret, RemoteName, Server
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.accounts.shadow import forget_events
from almanac.families.calendar.accounts.sync import ConnectedCalendars, Opens
from almanac.families.calendar.accounts.sync_records import SYNCS
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CALENDARS, EVENTS, IDEMPOTENCY, POINTERS, CalendarRecord
from almanac.families.calendar.entries.unreadable_events import UNREAD
from almanac.families.calendar.entries.writer import Author
from almanac.families.calendar.model.attendees import check_attendees
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.google.token import GoogleSecret
from almanac.families.calendar.providers.port import Provider, RemoteCalendar
from almanac.families.calendar.providers.transport.deadlines import CALL_SECONDS, Deadline
from almanac.families.time.core.zones import find_zone
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, Conflict
from almanac.kernel.ids import RandomBytes
from almanac.platform.encryption.port import Sealer
from almanac.platform.store.conditions import Equals
from almanac.platform.store.keys import Partition
from almanac.platform.store.port import MAX_CHANGES, Change, Delete, Store


class Connector:
    """Connects accounts of one project, and is the `ProviderGateway` of its calendars.

    `environment` gives connections their clock and network. All projects of a process may share `connections`.
    Exchanges with providers end by the `deadline`, if there is one.
    """

    def __init__(
        self,
        store: Store,
        scope: Scope,
        *,
        sealer: Sealer,
        environment: NetworkEnvironment,
        random_bytes: RandomBytes,
        connections: Opens | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self._store = store
        self._scope = scope
        self._environment = environment
        self._connections: Opens = connections or Connections(environment)
        self._random_bytes = random_bytes
        self._rows = CALENDARS.within(store, scope)
        self.accounts = Accounts(store, scope, sealer, environment.clock)
        self.calendars = Calendars(store, scope, clock=environment.clock)
        self.connected = ConnectedCalendars(
            self.calendars, self.accounts, self._connections, random_bytes, deadline=deadline
        )

    def provider(self, calendar: CalendarRecord) -> Provider:
        return self.connected.provider(calendar)

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:
        self.connected.refresh(calendar, booking=booking)

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        return self.connected.busy(calendar, window)

    def connect_caldav(
        self,
        account: str,
        url: str,
        user: str,
        password: str,
        *,
        timezone: str | None = None,
        authority: str = "",
        trusted: Collection[str] = (),
        addresses: Sequence[str] = (),
    ) -> list[CalendarRecord]:
        """Store the account once its server has shown calendars for it, and return them.

        `timezone` applies to calendars without a zone on the server, including later ones. `authority` is the
        certificate (PEM) of a server with its own authority. `trusted` hosts may see the password besides the host of
        `url`, if that refers to them. `addresses` are further addresses of the account, which the server does not name.
        Raises InvalidInput, NotFound, Forbidden or Unavailable, and then stores nothing.
        """
        from almanac.families.calendar.accounts.provider_clients import find_caldav_home  # noqa: PLC0415 - as it says

        zone, own, secret = _key(timezone), check_attendees(addresses), CalDavSecret(password)
        stored_server = Server(url=url, user=user, authority=authority)
        home = find_caldav_home(self._environment, stored_server, secret, frozenset(host.lower() for host in trusted))
        server = replace(stored_server, url=home.url, addresses=tuple(dict.fromkeys((*home.addresses, *own))))
        record = self.accounts.keep("caldav", account, msgspec.json.encode(secret), server, zone)
        return self._list_or_forget(record, zone)

    def connect_google(
        self, account: str, secret: GoogleSecret, *, timezone: str | None = None
    ) -> list[CalendarRecord]:
        """Store a Google account, as `connect_caldav` does."""
        zone = _key(timezone)
        record = self.accounts.keep("google", account, msgspec.json.encode(secret), timezone=zone)
        return self._list_or_forget(record, zone)

    def subscribe(
        self, url: str, *, account: str | None = None, name: str = "", timezone: str | None = None
    ) -> list[CalendarRecord]:
        """Store a subscription once its text has been read, and return its read-only calendar.

        `account` is the id of the subscription here, by default derived from the URL. Raises InvalidInput for a URL
        that is not https, Forbidden for an unreachable address, NotFound or Unavailable, and then stores nothing.
        """
        from almanac.families.calendar.providers.webcal import Subscription, check_url, site_of  # noqa: PLC0415

        whole, zone = check_url(url), _key(timezone)
        site, made = site_of(whole)
        secret = msgspec.json.encode(Subscription(whole, name))
        record = self.accounts.keep("webcal", account or made, secret, Server(url=site), zone)
        return self._list_or_forget(record, zone)

    def list_calendars(self, account: AccountRecord, timezone: str | None = None) -> list[CalendarRecord]:
        """Ask the provider for the calendars of an account, and store new or changed ones.

        `timezone` overrides the stored zone of calendars without a zone at the provider.
        """
        at_provider = self.connected.provider_of(account).calendars()
        return [self._store_remote(account, remote, timezone) for remote in at_provider]

    def discover(self, calendar_id: str) -> CalendarRecord | None:
        """Return a calendar that was created at its provider after its account was connected; None if there is none."""
        provider, slash, _ = calendar_id.partition("/")
        for account in self.accounts.list_accounts() if slash else ():
            if account.provider == provider:
                for calendar in self.list_calendars(account):
                    if calendar.id == calendar_id:
                        return calendar
        return None

    def calendars_of(self, provider: str, account: str) -> list[CalendarRecord]:
        return [one for one in self.calendars.list_calendars() if (one.provider, one.account) == (provider, account)]

    def disconnect(self, provider: RemoteName, account: str) -> list[str]:
        """Delete an account, its calendars and their shadows, and return the ids of the calendars.

        The provider keeps its data.
        """
        forgotten = self.calendars_of(provider, account)
        for calendar in forgotten:
            self._forget(calendar)
        self.accounts.forget(provider, account)
        return [calendar.id for calendar in forgotten]

    def _list_or_forget(self, account: AccountRecord, timezone: str | None) -> list[CalendarRecord]:
        try:
            return self.list_calendars(account, timezone)
        except AlmanacError:
            if not self.calendars_of(account.provider, account.id):
                self.accounts.forget(account.provider, account.id)
            raise

    def _store_remote(self, account: AccountRecord, remote: RemoteCalendar, timezone: str | None) -> CalendarRecord:
        stored = self._find_stored(account, remote)
        if stored is None:
            return self._new(account, remote)
        changed = replace(
            stored,
            name=remote.name,
            access_role=remote.access_role,
            primary=remote.primary,
            timezone=remote.timezone or timezone or stored.timezone or account.timezone,
        )
        if changed == stored:
            return stored
        changed = replace(changed, version=stored.version + 1, wide_version=stored.wide_version + 1)
        changes: list[Change] = [self._rows.put(changed, Equals("version", stored.version))]
        if changed.zone.key != stored.zone.key:
            # All-day events are filed by the calendar's zone, so a new pull has to file them again.
            changes.append(SYNCS.within(self._store, self._scope).delete(stored.id))
        # If another writer changes the calendar meanwhile, the next listing stores the change.
        with suppress(Conflict):
            self._store.write(changes)
        return changed

    def _find_stored(self, account: AccountRecord, remote: RemoteCalendar) -> CalendarRecord | None:
        held = (self._rows.get(name) for name in _names(account, remote))
        return next((one for one in held if one is not None and one.account == account.id), None)

    def _new(self, account: AccountRecord, remote: RemoteCalendar) -> CalendarRecord:
        for name in _names(account, remote):
            record = CalendarRecord(
                id=name,
                name=remote.name,
                timezone=remote.timezone or account.timezone,
                created_at=self.calendars.now(),
                provider=account.provider,
                account=account.id,
                remote_id=remote.id,
                primary=remote.primary,
                access_role=remote.access_role,
            )
            with suppress(Conflict):
                return self.calendars.create(record)
        raise Conflict(f"There is a calendar {account.provider}/{remote.id} already.", "Name the account differently.")

    def _forget(self, calendar: CalendarRecord) -> None:
        """Delete the calendar. Its head goes last: until then the deletion can be repeated."""
        self._store.write([SYNCS.within(self._store, self._scope).delete(calendar.id)])
        author = Author(f"sync:{calendar.provider}", self.calendars.now(), self._random_bytes)
        forget_events(self.calendars, calendar, author)
        for table in (EVENTS, POINTERS, IDEMPOTENCY, UNREAD):
            self._empty(table.partition(self._scope, table.own, (calendar.id,)))
        self._store.write([self._rows.delete(calendar.id)])

    def _empty(self, partition: Partition) -> None:
        while items := self._store.query(partition, limit=MAX_CHANGES).items:
            self._store.write([Delete(item.key) for item in items])


def gateway_opener(
    open_store: Callable[[], Store], *, sealer: Sealer, environment: NetworkEnvironment, random_bytes: RandomBytes
) -> Callable[[Scope, Clock], Connector]:
    """Return the function that the family takes as `open_gateway`.

    It opens a gateway for each call, so that a call's work at providers ends in time. Connections stay open between
    calls.
    """
    shared = Connections(environment)

    def open_gateway(scope: Scope, clock: Clock) -> Connector:
        here = replace(environment, clock=clock)
        return Connector(
            open_store(),
            scope,
            sealer=sealer,
            environment=here,
            random_bytes=random_bytes,
            connections=shared,
            deadline=Deadline(CALL_SECONDS),
        )

    return open_gateway


def _key(timezone: str | None) -> str | None:
    """Return the canonical name of an IANA zone. Raises InvalidInput."""
    return find_zone(timezone).key if timezone is not None else None


def _names(account: AccountRecord, remote: RemoteCalendar) -> tuple[str, str]:
    """Return the calendar's id, and its fallback id if another account's calendar has the first."""
    name = f"{account.provider}/{remote.id}"
    return name, f"{name}@{account.id}"
