"""Calendars at providers that fail: a real CalDAV server and the double of Google, each behind a faulty proxy."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from almanac.families.calendar.providers.google.events import event_of, is_removed
from almanac.families.calendar.providers.google.token import GoogleSecret
from almanac.families.time.core.zones import find_zone
from tests.doubles.google_calendar import FakeGoogle, run_google
from tests.integration.caldav.conftest import Account, account, http, radicale
from tests.integration.calendar.faulty_proxy import faulty
from tests.integration.calendar.remote_calendar import RemoteCalendarUnderTest

__all__ = ["account", "http", "radicale"]

BERLIN = "Europe/Berlin"


@pytest.fixture(params=["caldav", "google"])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[RemoteCalendarUnderTest]:
    opened = (
        at_caldav(tmp_path, request.getfixturevalue("account")) if request.param == "caldav" else at_google(tmp_path)
    )
    with opened as remote:
        yield remote
        remote.close()


@contextmanager
def at_caldav(folder: Path, account: Account) -> Generator[RemoteCalendarUnderTest]:
    with faulty(account.url) as proxy:
        yield RemoteCalendarUnderTest(
            folder,
            proxy,
            lambda connector: connector.connect_caldav("home", proxy.url, account.user, "password", timezone=BERLIN),
            lambda: account.provider.changes(account.work, None).events,
        )


@contextmanager
def at_google(folder: Path) -> Generator[RemoteCalendarUnderTest]:
    google = FakeGoogle()
    google.add_calendar("work")
    with run_google(google) as address, faulty(address) as proxy:
        yield RemoteCalendarUnderTest(
            folder,
            proxy,
            lambda connector: connector.connect_google("mine", GoogleSecret("id", "secret", "refresh-1")),
            lambda: [
                event_of(item, find_zone(BERLIN)) for item in google.events["work"].values() if not is_removed(item)
            ],
            google_tokens=f"{address}/token",
        )
