"""Providers of accounts, opened. Imported when the first account is: who has none does not pay for HTTP clients."""

from urllib.parse import urlsplit

import msgspec

from almanac.families.calendar.credentials import CalDavSecret
from almanac.families.calendar.providers.addresses import AddressBook
from almanac.families.calendar.providers.caldav import CalDavProvider
from almanac.families.calendar.providers.caldav_discovery import Home, find_home
from almanac.families.calendar.providers.dav import Dav
from almanac.families.calendar.providers.google import GoogleProvider
from almanac.families.calendar.providers.google_calls import API_URL, NAME, GoogleCalls
from almanac.families.calendar.providers.google_token import TOKEN_URL, GoogleSecret, GoogleToken
from almanac.families.calendar.providers.http import HttpClient, origin_of
from almanac.families.calendar.surroundings import Surroundings


def find_caldav_home(around: Surroundings, url: str, user: str, secret: CalDavSecret) -> Home:
    """Where the calendars of `user` lie. Raises NotFound, Forbidden or Unavailable."""
    origin_of(url)
    return find_home(_requests(around, url, user, secret), url)


def open_caldav(around: Surroundings, url: str, user: str, secret: bytes) -> CalDavProvider:
    """`secret` is an encoded CalDavSecret. Raises msgspec.DecodeError for anything else."""
    held = msgspec.json.decode(secret, type=CalDavSecret)
    return CalDavProvider(_requests(around, url, user, held), Home(url))


def open_google(around: Surroundings, secret: bytes) -> GoogleProvider:
    """`secret` is an encoded GoogleSecret. Raises msgspec.DecodeError for anything else."""
    held = msgspec.json.decode(secret, type=GoogleSecret)
    # Its address is ours, not a user's: it is only within reach of what it is.
    http = HttpClient(NAME, AddressBook(around.reach), seconds=around.seconds)
    token = GoogleToken(http, held, around.clock, url=around.google_tokens or TOKEN_URL)
    calls = GoogleCalls(http, token, sleep=around.sleep, random=around.random, url=around.google_api or API_URL)
    return GoogleProvider(calls)


def _requests(around: Surroundings, url: str, user: str, secret: CalDavSecret) -> Dav:
    name = f"The CalDAV server {urlsplit(url).hostname}"
    http = HttpClient(name, AddressBook(around.reach), seconds=around.seconds)
    return Dav(http, name, url, user, secret.password)
