"""Provider clients of accounts. Imported with the first account, so that other processes never load HTTP clients."""

import ssl
from functools import partial
from urllib.parse import urlsplit

import msgspec

from almanac.families.calendar.accounts.credentials import CalDavSecret, Server
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.providers.caldav.calendars import CalDavProvider
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.discovery import Home, find_home
from almanac.families.calendar.providers.google.calendars import GoogleProvider
from almanac.families.calendar.providers.google.calls import API_URL, NAME, GoogleCalls
from almanac.families.calendar.providers.google.token import TOKEN_URL, GoogleSecret, GoogleToken
from almanac.families.calendar.providers.transport.addresses import AddressBook
from almanac.families.calendar.providers.transport.gates import Gates
from almanac.families.calendar.providers.transport.http import HOST_AT_ONCE, HttpClient, origin_of
from almanac.families.calendar.providers.webcal import MAX_BODY, Subscription, WebcalProvider
from almanac.kernel.errors import InvalidInput


def new_gates() -> Gates:
    """Return the request limits for all servers of a process."""
    return Gates(HOST_AT_ONCE)


def find_caldav_home(
    environment: NetworkEnvironment, server: Server, secret: CalDavSecret, trusted: frozenset[str] = frozenset()
) -> Home:
    """Find the calendars of the server's user. The hosts in `trusted` may see the password too.

    Raises NotFound, Forbidden or Unavailable; InvalidInput for an `authority` that is not a certificate.
    """
    origin_of(server.url)
    if server.authority:
        tls_context(server.authority)
    return find_home(_requests(environment, server, secret, new_gates(), trusted), server.url)


def open_caldav(environment: NetworkEnvironment, server: Server, secret: bytes, hosts: Gates) -> CalDavProvider:
    """Open a CalDAV provider. `secret` is an encoded CalDavSecret; anything else raises msgspec.DecodeError."""
    credentials = msgspec.json.decode(secret, type=CalDavSecret)
    return CalDavProvider(_requests(environment, server, credentials, hosts), Home(server.url, server.addresses))


def open_google(environment: NetworkEnvironment, secret: bytes, hosts: Gates) -> GoogleProvider:
    """Open a Google provider. `secret` is an encoded GoogleSecret; anything else raises msgspec.DecodeError."""
    credentials = msgspec.json.decode(secret, type=GoogleSecret)
    # The address is a constant instead of user input.
    http = HttpClient(NAME, AddressBook(environment.policy), seconds=environment.seconds, hosts=hosts)
    token = GoogleToken(http, credentials, environment.clock, url=environment.google_tokens or TOKEN_URL)
    url = environment.google_api or API_URL
    calls = GoogleCalls(http, token, sleep=environment.sleep, random=environment.random, url=url)
    return GoogleProvider(calls)


def open_webcal(environment: NetworkEnvironment, account: str, secret: bytes, hosts: Gates) -> WebcalProvider:
    """Open a subscription. `secret` is an encoded Subscription; anything else raises msgspec.DecodeError."""
    credentials = msgspec.json.decode(secret, type=Subscription)
    name = f"The calendar at {urlsplit(credentials.url).hostname}"
    book = AddressBook(environment.policy)
    http = HttpClient(name, book, seconds=environment.seconds, max_body=MAX_BODY, hosts=hosts)
    return WebcalProvider(http, account, credentials)


def _requests(
    environment: NetworkEnvironment,
    server: Server,
    secret: CalDavSecret,
    hosts: Gates,
    trusted: frozenset[str] = frozenset(),
) -> Dav:
    name = f"The CalDAV server {urlsplit(server.url).hostname}"
    tls = partial(tls_context, server.authority) if server.authority else ssl.create_default_context
    http = HttpClient(name, AddressBook(environment.policy), seconds=environment.seconds, tls=tls, hosts=hosts)
    return Dav(http, name, server.url, server.user, secret.password, trusted=trusted)


def tls_context(authority: str) -> ssl.SSLContext:
    """Return a TLS context that trusts this machine's certificates and the given ones (PEM).

    Raises InvalidInput if `authority` has none.
    """
    context = ssl.create_default_context()
    # Self-made certificates seldom have all the fields that strict checking requires.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        context.load_verify_locations(cadata=authority)
    except (ssl.SSLError, ValueError):
        raise InvalidInput(
            "The file has no certificate.",
            "Give a file in PEM: it begins with -----BEGIN CERTIFICATE-----.",
            path="ca_file",
        ) from None
    return context
