"""Calendars that are published at a URL: read-only, asked for with validators, bounded, and within reach."""

import json
import os
import time
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.accounts.scheduled_pulls import OLD_MS, CalendarRefresher
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.families.calendar.providers.webcal import check_url
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import AlmanacError, Forbidden, InvalidInput, NotFound, Unavailable
from almanac.local.commands.calendar import calendar as command
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.doubles.published_calendar import PublishedCalendar, calendar_text, publish
from tests.unit.families.calendar.services import draft
from tests.unit.families.calendar.shadows.remote import SCOPE, WEEK

ONE, TWO = ("one", "20260303T090000Z"), ("two", "20260304T090000Z")


@pytest.fixture
def feed() -> PublishedCalendar:
    return PublishedCalendar(calendar_text(ONE, TWO), {"ETag": '"1"', "Last-Modified": "Sun, 01 Mar 2026 12:00:00 GMT"})


@pytest.fixture
def url(feed: PublishedCalendar) -> Generator[str]:
    with publish(feed) as address:
        yield address


def open_connector(folder: Path, clock: FixedClock, *, private: bool = True) -> Connector:
    environment = NetworkEnvironment(clock, time.sleep, lambda: 0.5, NetworkPolicy(private=private), seconds=2)
    store = SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    sealer = KeyFileSealer(folder / "key", os.urandom)
    return Connector(store, SCOPE, sealer=sealer, environment=environment, random_bytes=os.urandom)


@pytest.fixture
def connector(tmp_path: Path, clock: FixedClock) -> Connector:
    return open_connector(tmp_path, clock)


def calendars_of(connector: Connector, clock: FixedClock, zone: str | None = None) -> Calendars:
    store = connector.calendars.store
    return Calendars(store, SCOPE, clock=clock, gateway=connector.connected, project_zone=zone)


def list_ids(calendars: Calendars, name: str, window: Interval = WEEK) -> list[str]:
    return [one.filed.id for one in calendars.list_entries(calendars.readable(name), window)]


def test_a_published_calendar_is_read_and_cannot_be_written(connector: Connector, clock: FixedClock, url: str) -> None:
    (made,) = connector.subscribe(url)
    assert (made.name, made.access_role, made.id.partition("/")[0]) == ("Match days, home", "reader", "webcal")
    calendars = calendars_of(connector, clock)
    assert len(list_ids(calendars, made.id)) == 2
    bookings = BookingService(
        calendars, actor="ann", random_bytes=os.urandom, backoff=Backoff(lambda _: None, lambda: 0.5)
    )
    with pytest.raises(Forbidden):
        bookings.book(draft(0, calendar=made.id))
    # The same URL is the same subscription.
    assert [one.id for one in connector.subscribe(url)] == [made.id]
    assert connector.disconnect("webcal", made.account or "") == [made.id]


def test_the_job_of_all_calendars_reads_it_again_and_asks_with_validators(
    connector: Connector, clock: FixedClock, feed: PublishedCalendar, url: str
) -> None:
    (made,) = connector.subscribe(url)
    calendars = calendars_of(connector, clock)
    list_ids(calendars, made.id)
    _later(clock)
    CalendarRefresher(calendars, time.monotonic).run()
    assert feed.statuses[-1] == 304
    assert feed.requests[-1]["if-none-match"] == '"1"'
    assert len(list_ids(calendars, made.id)) == 2
    feed.text, feed.headers = calendar_text(TWO), {"Last-Modified": "Mon, 02 Mar 2026 12:00:00 GMT"}
    _later(clock)
    CalendarRefresher(calendars, time.monotonic).run()
    assert len(list_ids(calendars, made.id)) == 1
    _later(clock)
    CalendarRefresher(calendars, time.monotonic).run()
    assert feed.statuses[-1] == 304
    assert feed.requests[-1]["if-modified-since"] == "Mon, 02 Mar 2026 12:00:00 GMT"


def test_the_same_text_is_not_read_again(
    connector: Connector, clock: FixedClock, feed: PublishedCalendar, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed.headers = {}
    (made,) = connector.subscribe(url)
    calendars = calendars_of(connector, clock)
    list_ids(calendars, made.id)

    def read(*_: object) -> None:
        raise AssertionError("it is the same text")

    monkeypatch.setattr("almanac.families.calendar.providers.webcal.WebcalProvider._read", read)
    assert connector.connected.sync(made).changed == 0
    assert feed.statuses[-1] == 200
    assert len(list_ids(calendars, made.id)) == 2


def _later(clock: FixedClock) -> None:
    clock.instant += timedelta(milliseconds=OLD_MS + 1)


@pytest.mark.parametrize("broken", [b"", b"<html>Sign in</html>", calendar_text(TWO)[:-20]])
def test_what_is_no_whole_calendar_takes_nothing_away(
    connector: Connector, clock: FixedClock, feed: PublishedCalendar, url: str, broken: bytes
) -> None:
    (made,) = connector.subscribe(url)
    calendars = calendars_of(connector, clock)
    list_ids(calendars, made.id)
    feed.text, feed.headers = broken, {}
    with pytest.raises(Unavailable):
        connector.connected.sync(made)
    window = calendars.list_entries(calendars.find(made.id), WEEK)
    assert len(window) == 2


@pytest.mark.parametrize(("status", "kind"), [(404, NotFound), (403, Forbidden), (500, Unavailable)])
def test_what_cannot_be_read_is_not_kept(
    connector: Connector, feed: PublishedCalendar, url: str, status: int, kind: type[AlmanacError]
) -> None:
    feed.status = status
    with pytest.raises(kind):
        connector.subscribe(url)
    assert connector.accounts.list_accounts() == []


def test_an_answer_is_bounded(
    connector: Connector, feed: PublishedCalendar, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("almanac.families.calendar.accounts.provider_clients.MAX_BODY", 1000)
    feed.text = calendar_text(*[(f"event{number}", "20260303T090000Z") for number in range(50)])
    with pytest.raises(Unavailable, match="more than"):
        connector.subscribe(url)


def test_a_redirect_to_another_server_is_not_followed(connector: Connector, feed: PublishedCalendar, url: str) -> None:
    feed.status, feed.headers = 302, {"Location": "http://127.0.0.1:1/calendar.ics"}
    with pytest.raises(Unavailable, match="another server"):
        connector.subscribe(url)


def test_a_private_address_is_out_of_reach_of_a_server_on_aws(tmp_path: Path, clock: FixedClock, url: str) -> None:
    with pytest.raises(Forbidden) as refused:
        open_connector(tmp_path, clock, private=False).subscribe(url)
    assert refused.value.code == "address_refused"


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/a.ics", "file:///etc/passwd", "ftp://example.com/a.ics", "gopher://example.com", ""),
        *("webcal://ann:word@example.com/a.ics", "https://", "https://[::1", "https://example.com/a b.ics"),
        "webcal://" + "a" * 3000,
    ],
)
def test_a_url_that_is_not_safe_is_refused(connector: Connector, url: str) -> None:
    with pytest.raises(InvalidInput):
        connector.subscribe(url)


def test_webcal_means_https() -> None:
    assert check_url(" webcal://example.com/a.ics?key=1#x ") == "https://example.com/a.ics?key=1"
    assert check_url("WEBCALS://example.com") == "https://example.com/"


def test_floating_times_are_read_in_the_zone_of_the_text_or_the_server(
    connector: Connector, clock: FixedClock, feed: PublishedCalendar, url: str
) -> None:
    feed.text = calendar_text(("nine", "20260303T090000"))
    (made,) = connector.subscribe(url)
    tokyo = calendars_of(connector, clock, "Asia/Tokyo")
    (one,) = tokyo.list_entries(tokyo.readable(made.id), WEEK)
    assert one.start == 1772496000000  # 2026-03-03T00:00:00Z
    feed.text, feed.headers = calendar_text(("nine", "20260303T090000"), head="X-WR-TIMEZONE:Europe/Berlin\n"), {}
    (made,) = connector.subscribe(url)
    assert made.timezone == "Europe/Berlin"


def test_the_command_subscribes_and_keeps_the_url_sealed(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("ALMANAC_TABLE", raising=False)
    made = CliRunner().invoke(command, ["subscribe", "-", "--name", "Football", "--json"], input=f"{url}\n")
    assert made.exit_code == 0, made.output
    (row,) = json.loads(made.stdout)
    assert (row["name"], row["access_role"]) == ("Football", "reader")
    (account,) = json.loads(CliRunner().invoke(command, ["accounts", "--json"]).stdout)
    assert account["provider"] == "webcal"
    assert "private-4711" not in json.dumps(account)
    assert all(b"private-4711" not in file.read_bytes() for file in (tmp_path / "data").iterdir() if file.is_file())
    (synced,) = json.loads(CliRunner().invoke(command, ["sync", "--json"]).stdout)
    assert synced["problem"] == ""
    assert CliRunner().invoke(command, ["disconnect", "webcal", "--account", account["account"]]).exit_code == 0
