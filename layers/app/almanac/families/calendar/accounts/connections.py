"""Open connections of this process to the providers of accounts."""

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from almanac.families.calendar.accounts.credentials import AccountRecord, Accounts
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.providers.port import Provider
from almanac.kernel.errors import Forbidden

if TYPE_CHECKING:
    from almanac.families.calendar.providers.transport.gates import Gates

_KEPT = 256


class Connections:
    """Open connections, one for each account, created at first use and again when the account's secret changes.

    Threads and projects may share it.
    """

    def __init__(self, environment: NetworkEnvironment) -> None:
        self._environment = environment
        self._lock = Lock()
        self._gates: Gates | None = None
        self._open: OrderedDict[bytes, Provider] = OrderedDict()

    def provider(self, accounts: Accounts, record: AccountRecord) -> Provider:
        """Return the provider for the account. Raises Forbidden if its secret cannot be opened."""
        with self._lock:
            # The sealed secret differs between accounts, and changes with the secret.
            found = self._open.get(record.sealed)
            if found is not None:
                self._open.move_to_end(record.sealed)
                return found
        provider = self._open_provider(record, accounts.secret(record))
        with self._lock:
            self._open[record.sealed] = provider
            if len(self._open) > _KEPT:
                self._open.popitem(last=False)
        return provider

    def _hosts(self) -> "Gates":
        from almanac.families.calendar.accounts.provider_clients import new_gates  # noqa: PLC0415 - as it says

        with self._lock:
            self._gates = self._gates or new_gates()
            return self._gates

    def _open_provider(self, record: AccountRecord, secret: bytes) -> Provider:
        from almanac.families.calendar.accounts.provider_clients import (  # noqa: PLC0415 - as it says
            open_caldav,
            open_google,
            open_webcal,
        )

        try:
            if record.provider == "caldav":
                return open_caldav(self._environment, record.server, secret, self._hosts())
            if record.provider == "webcal":
                return open_webcal(self._environment, record.id, secret, self._hosts())
            return open_google(self._environment, secret, self._hosts())
        except msgspec.DecodeError:
            raise Forbidden(
                f"The stored credentials of the {record.provider} account {record.id} cannot be read.",
                "Connect the account again.",
                code="provider_credentials",
            ) from None
