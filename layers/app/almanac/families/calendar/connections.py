"""From an account to a provider that speaks for it."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from almanac.families.calendar.credentials import AccountRecord, Accounts
from almanac.families.calendar.providers.addresses import AddressBook, Reach
from almanac.families.calendar.providers.port import Provider
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Forbidden

if TYPE_CHECKING:
    from almanac.families.calendar.providers.dav import Dav

_KEPT = 256


class Surroundings(Struct, frozen=True):
    """What connections need of the machine. `reach`: which addresses users may name. `seconds` bounds each wait for a
    server. The two addresses of Google are there for tests."""

    clock: Clock
    sleep: Callable[[float], None]
    random: Callable[[], float]
    reach: Reach = Reach()
    seconds: float = 10.0
    google_api: str | None = None
    google_tokens: str | None = None


class CalDavSecret(Struct, frozen=True):
    password: str

    def __repr__(self) -> str:
        return "CalDavSecret(…)"


class Connections:
    """Open connections of this process; one for each account, made when it is first used and again when its secret
    changed. Threads and projects may share it."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings
        self._lock = Lock()
        self._open: OrderedDict[bytes, Provider] = OrderedDict()

    def provider(self, accounts: Accounts, record: AccountRecord) -> Provider:
        """Raises Forbidden where the secret does not open."""
        with self._lock:
            # What is sealed differs between any two accounts, and after each change.
            found = self._open.get(record.sealed)
            if found is not None:
                self._open.move_to_end(record.sealed)
                return found
        made = self._made(record, accounts.secret(record))
        with self._lock:
            self._open[record.sealed] = made
            if len(self._open) > _KEPT:
                self._open.popitem(last=False)
        return made

    def _made(self, record: AccountRecord, secret: bytes) -> Provider:
        try:
            if record.provider == "caldav":
                held = msgspec.json.decode(secret, type=CalDavSecret)
                return _open_caldav(self._around, record.url, record.user, held)
            return _open_google(self._around, secret)
        except msgspec.DecodeError:
            raise Forbidden(
                f"What is kept of the {record.provider} account {record.id} cannot be read.",
                "Connect the account again.",
                code="provider_credentials",
            ) from None


def caldav_requests(around: Surroundings, url: str, user: str, secret: CalDavSecret) -> "Dav":
    """Requests to the server at `url` in the name of `user`."""
    from almanac.families.calendar.providers.dav import Dav  # noqa: PLC0415 - who has no account pays nothing
    from almanac.families.calendar.providers.http import HttpClient  # noqa: PLC0415

    name = f"The CalDAV server {urlsplit(url).hostname}"
    http = HttpClient(name, AddressBook(around.reach), seconds=around.seconds)
    return Dav(http, name, url, user, secret.password)


def _open_caldav(around: Surroundings, url: str, user: str, secret: CalDavSecret) -> Provider:
    from almanac.families.calendar.providers.caldav import CalDavProvider  # noqa: PLC0415 - as above
    from almanac.families.calendar.providers.caldav_discovery import Home  # noqa: PLC0415

    return CalDavProvider(caldav_requests(around, url, user, secret), Home(url))


def _open_google(around: Surroundings, secret: bytes) -> Provider:
    from almanac.families.calendar.providers.google import GoogleProvider  # noqa: PLC0415 - as above
    from almanac.families.calendar.providers.google_calls import API_URL, NAME, GoogleCalls  # noqa: PLC0415
    from almanac.families.calendar.providers.google_token import (  # noqa: PLC0415
        TOKEN_URL,
        GoogleSecret,
        GoogleToken,
    )
    from almanac.families.calendar.providers.http import HttpClient  # noqa: PLC0415

    # Its address is ours, not a user's: it is only within reach of what it is.
    http = HttpClient(NAME, AddressBook(around.reach), seconds=around.seconds)
    held = msgspec.json.decode(secret, type=GoogleSecret)
    token = GoogleToken(http, held, around.clock, url=around.google_tokens or TOKEN_URL)
    calls = GoogleCalls(http, token, sleep=around.sleep, random=around.random, url=around.google_api or API_URL)
    return GoogleProvider(calls)
