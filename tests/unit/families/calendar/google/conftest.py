"""Google Calendar on this machine, and the provider that talks to it."""

from collections.abc import Iterator

import pytest

from almanac.families.calendar.providers.google.calendars import GoogleProvider
from almanac.families.calendar.providers.google.calls import GoogleCalls
from almanac.families.calendar.providers.google.token import GoogleSecret, GoogleToken
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.kernel.clock import FixedClock
from tests.doubles.google_calendar import FakeGoogle, run_google


@pytest.fixture
def google() -> FakeGoogle:
    made = FakeGoogle()
    made.add_calendar("work@example.com")
    return made


@pytest.fixture
def backoff() -> list[float]:
    return []


@pytest.fixture
def provider(google: FakeGoogle, backoff: list[float], clock: FixedClock) -> Iterator[GoogleProvider]:
    with run_google(google) as address:
        http = HttpClient("Google Calendar", AddressBook(NetworkPolicy(private=True)), seconds=5)
        token = GoogleToken(http, GoogleSecret("id", "secret", "refresh-1"), clock, url=f"{address}/token")
        yield GoogleProvider(GoogleCalls(http, token, sleep=backoff.append, random=lambda: 0.5, url=address))
        http.close()
