"""Accounts of a project at providers. Their secrets are sealed and bound to tenant, project and account."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.kernel.instants import now_ms
from almanac.platform.encryption.port import Sealer
from almanac.platform.store.port import Store
from almanac.platform.store.records import Record, Table

RemoteName = Literal["caldav", "google", "webcal"]
PROVIDERS: tuple[RemoteName, ...] = get_args(RemoteName)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._+-]{0,63}")


class CalDavSecret(Struct, frozen=True):
    password: str

    def __repr__(self) -> str:
        return "CalDavSecret(…)"


class Server(Struct, frozen=True, kw_only=True):
    """Server and user of an account, as in AccountRecord."""

    url: str = ""
    user: str = ""
    authority: str = ""
    addresses: tuple[str, ...] = ()


NOWHERE = Server()


class AccountRecord(Record, frozen=True, kw_only=True):
    """An account at a provider, under an `id` that the user chose. `sealed` is never shown.

    `url`, `user` and `authority` are for CalDAV: the address of the account's calendars, the login name, and a
    certificate (PEM) to trust besides those of this machine. `timezone` applies to calendars without a zone at the
    provider. `addresses` are the account's own, without `mailto:`.
    """

    provider: RemoteName
    id: str
    sealed: bytes
    created_at: int
    url: str = ""
    user: str = ""
    authority: str = ""
    timezone: str | None = None
    addresses: tuple[str, ...] = ()

    @property
    def server(self) -> Server:
        return Server(url=self.url, user=self.user, authority=self.authority, addresses=self.addresses)

    def __repr__(self) -> str:
        return f"AccountRecord({self.provider}/{self.id})"


ACCOUNTS = Table(AccountRecord, "calendar_accounts", sort=("provider", "id"))


class Accounts:
    """Accounts of one project."""

    def __init__(self, store: Store, scope: Scope, sealer: Sealer, clock: Clock) -> None:
        self._store = store
        self._scope = scope
        self._sealer = sealer
        self._clock = clock
        self._rows = ACCOUNTS.within(store, scope)

    def keep(
        self, provider: RemoteName, account: str, secret: bytes, server: Server = NOWHERE, timezone: str | None = None
    ) -> AccountRecord:
        """Store an account, replacing the one of that name. Raises InvalidInput for an invalid name."""
        if not _ID.fullmatch(account):
            raise InvalidInput(
                f'"{account[:80]}" is not a valid account name.',
                "Use up to 64 letters, digits and @ . _ + -",
                path="account",
            )
        record = AccountRecord(
            provider=provider,
            id=account,
            sealed=self._sealer.seal(secret, self._context(provider, account)),
            created_at=now_ms(self._clock),
            url=server.url,
            user=server.user,
            authority=server.authority,
            timezone=timezone,
            addresses=server.addresses,
        )
        self._store.write([self._rows.put(record)])
        return record

    def list_accounts(self) -> list[AccountRecord]:
        return list(self._rows.every())

    def find(self, provider: str, account: str) -> AccountRecord:
        """Return the account. Raises Forbidden if it does not exist."""
        record = self._rows.get(provider, account) if account else None
        if record is None:
            raise Forbidden(
                f"There is no {provider} account {account[:80]} in this project any more.",
                "Subscribe to it again with `almanac calendar subscribe`."
                if provider == "webcal"
                else f"Connect it again with `almanac calendar connect {provider}`.",
                code="provider_credentials",
            )
        return record

    def secret(self, record: AccountRecord) -> bytes:
        """Return the secret. Raises Forbidden if it was sealed with another key, or for another account."""
        return self._sealer.open(record.sealed, self._context(record.provider, record.id))

    def forget(self, provider: RemoteName, account: str) -> None:
        """Delete the account. Deleting a missing account is a success."""
        self._store.write([self._rows.delete(provider, account)])

    def _context(self, provider: str, account: str) -> Mapping[str, str]:
        return {
            "purpose": "calendar-account",
            "tenant": self._scope.tenant,
            "project": self._scope.project,
            "provider": provider,
            "account": account,
        }
