"""Shadows of calendars at providers: pulled, kept, aged, and never in the way of a booking."""

import itertools
import os
from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.booking import Draft, book
from almanac.families.calendar.calendars import Calendars
from almanac.families.calendar.connecting import Connector
from almanac.families.calendar.connections import Surroundings
from almanac.families.calendar.credentials import AccountRecord, Accounts
from almanac.families.calendar.desk import Desk
from almanac.families.calendar.events import Event, Timed, milliseconds
from almanac.families.calendar.patience import Pauses
from almanac.families.calendar.providers.port import Changes, Provider, RemoteCalendar, Written
from almanac.families.calendar.providers.pulled import Pulled
from almanac.families.calendar.rebooking import cancel
from almanac.families.calendar.records import CalendarRecord
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Forbidden, NotFound, Unavailable
from almanac.platform.sealing.key_file import KeyFileSealer
from almanac.platform.store.sqlite import SqliteStore

SCOPE = Scope("acme", "main")
WORK = "google/work"
WEEK = Interval(milliseconds(datetime(2026, 3, 2, tzinfo=UTC)), milliseconds(datetime(2026, 3, 9, tzinfo=UTC)))


class Remote:
    """A provider in memory that can be down, forget its tokens, and give its changes in pages."""

    name = "The remote"

    def __init__(self) -> None:
        self.calendar_list = [RemoteCalendar(id="work", name="Work", timezone="Europe/Berlin")]
        self.events: dict[str, Event] = {}
        self.log: list[str] = []
        self.down: Exception | None = None
        self.oldest = 0
        self.page = 1000
        self.unreadable: tuple[str, ...] = ()
        self.asked: list[str | None] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def put(self, event: Event) -> Event:
        self.log.append(event.id)
        self.events[event.id] = replace(event, etag=str(len(self.log)))
        return self.events[event.id]

    def drop(self, event_id: str) -> None:
        self.log.append(event_id)
        del self.events[event_id]

    def create(self, calendar: RemoteCalendar, event: Event) -> Written:
        self._answers()
        if event.id in self.events:
            raise Conflict("There is one.", "Take another id.")
        return Written(id=event.id, etag=self.put(event).etag)

    def update(self, calendar: RemoteCalendar, event: Event, etag: str | None) -> Written:
        self._answers()
        if event.id not in self.events:
            raise NotFound("It is gone.", "Pull.")
        if etag != self.events[event.id].etag:
            raise Conflict("It changed.", "Pull.")
        return Written(id=event.id, etag=self.put(event).etag)

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        self._answers()
        if event_id in self.events:
            self.drop(event_id)

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        self._answers()
        return self.events.get(event_id)

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        self._answers()
        self.asked.append(token)
        kind, begin, since = token.split(":") if token else ("full", "0", "0")
        if kind == "since" and int(since) < self.oldest:
            kind, begin, since = "full", "0", "0"
        end = len(self.log)
        told = sorted(self.events) if kind == "full" else list(dict.fromkeys(self.log[int(since) :]))
        part = told[int(begin) : int(begin) + self.page]
        complete = int(begin) + self.page >= len(told)
        page = Pulled(
            events=tuple(self.events[one] for one in part if one in self.events),
            removed_ids=tuple(one for one in part if one not in self.events),
            token=f"since:0:{end}" if complete else f"{kind}:{int(begin) + self.page}:{since}",
            complete=complete,
            reset=kind == "full",
            unreadable=self.unreadable,
        )
        self.meanwhile()
        return page

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        self._answers()
        return []

    def calendars(self) -> list[RemoteCalendar]:
        self._answers()
        return self.calendar_list

    def _answers(self) -> None:
        if self.down is not None:
            raise self.down


class Always:
    """Opens the same provider for every account."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote

    def provider(self, accounts: Accounts, record: AccountRecord) -> Provider:
        accounts.secret(record)
        return self.remote


@pytest.fixture
def remote() -> Remote:
    return Remote()


@pytest.fixture
def connector(tmp_path: Path, clock: FixedClock, remote: Remote) -> Generator[Connector]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    made = Connector(
        store,
        SCOPE,
        sealer=KeyFileSealer(tmp_path / "key", os.urandom),
        around=Surroundings(clock, lambda _: None, lambda: 0.5),
        random_bytes=os.urandom,
        connections=Always(remote),
    )
    made.list_calendars(made.accounts.keep("google", "mine", b"secret"))
    yield made
    store.close()


@pytest.fixture
def calendars(connector: Connector, clock: FixedClock) -> Calendars:
    return Calendars(connector.calendars.store, SCOPE, clock=clock, remotes=connector.connected)


@pytest.fixture
def desk(calendars: Calendars) -> Desk:
    return Desk(calendars, actor="ann", random_bytes=os.urandom, pauses=Pauses(lambda _: None, lambda: 0.5))


def event(name: str, hour: int = 9, **more: object) -> Event:
    start, end = (Timed(datetime(2026, 3, 3, at), "Europe/Berlin") for at in (hour, hour + 1))
    made = Event(id=name, uid=name, start=start, end=end, summary=name)
    return replace(made, **more)


def shown(calendars: Calendars) -> list[str]:
    calendar = calendars.readable(WORK)
    return [one.filed.id for one in calendars.shown(calendars.find(calendar.id), WEEK)]


def draft(hour: int) -> Draft:
    start = datetime(2026, 3, 3, hour, tzinfo=UTC)
    return Draft(calendar_id=WORK, start=start, end=start + timedelta(hours=1), summary="Booked")


def test_what_a_provider_holds_shows_and_changes_follow(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    remote.put(event("one"))
    remote.put(event("two", 11))
    assert shown(calendars) == ["one", "two"]
    remote.put(event("one", 13))
    remote.drop("two")
    remote.put(event("three", 15))
    clock.instant += timedelta(minutes=2)
    assert shown(calendars) == ["one", "three"]
    assert remote.asked == [None, "since:0:2"]


def test_a_shadow_that_was_read_just_now_is_not_read_again_but_before_a_booking(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    shown(calendars)
    clock.instant += timedelta(seconds=30)
    shown(calendars)
    assert len(remote.asked) == 1
    calendars.writable(WORK)
    assert len(remote.asked) == 2


def test_nothing_that_stands_as_it_stood_is_written_again(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.put(event("one"))
    calendar = calendars.readable(WORK)
    version = calendars.find(WORK).version
    remote.oldest = 99
    assert connector.connected.sync(calendar).changed == 0
    assert calendars.find(WORK).version == version


def test_pages_are_put_together_and_what_a_full_pull_does_not_name_is_gone(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    for number in range(130):
        remote.put(event(f"event{number:03}"))
    assert len(shown(calendars)) == 130
    for number in range(0, 130, 2):
        remote.drop(f"event{number:03}")
    remote.oldest, remote.page = 999, 20
    report = connector.connected.sync(calendars.find(WORK))
    assert (report.changed, report.removed) == (0, 65)
    assert len(shown(calendars)) == 65


def test_a_pull_that_breaks_off_begins_where_it_was(
    connector: Connector, calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    for number in range(6):
        remote.put(event(f"event{number}"))
    remote.page = 2
    pages = itertools.count()

    def break_off() -> None:
        if next(pages) == 1:
            remote.down = Unavailable("The remote is down.", "Wait.")

    remote.meanwhile = break_off
    with pytest.raises(Unavailable):
        connector.connected.sync(calendars.find(WORK))
    remote.down, remote.meanwhile = None, lambda: None
    clock.instant += timedelta(minutes=5)
    assert len(shown(calendars)) == 6


def test_a_series_shows_with_what_differs_from_it_and_goes_with_it(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    instance = Timed(datetime(2026, 3, 4, 9), "Europe/Berlin")
    moved = Timed(datetime(2026, 3, 4, 17), "Europe/Berlin")
    remote.put(event("serie", rrule="FREQ=DAILY;COUNT=3"))
    later = Timed(datetime(2026, 3, 4, 18), "Europe/Berlin")
    remote.put(event("serie_20260304T080000Z", uid="serie", recurrence_id=instance, start=moved, end=later))
    assert shown(calendars) == ["serie", "serie_20260304T080000Z", "serie"]
    remote.drop("serie")
    clock.instant += timedelta(minutes=2)
    assert shown(calendars) == []


def test_of_a_resource_only_what_it_still_holds_stands(calendars: Calendars, remote: Remote, clock: FixedClock) -> None:
    instance = Timed(datetime(2026, 3, 4, 9), "Europe/Berlin")
    remote.put(event("serie", rrule="FREQ=DAILY;COUNT=2", href="/serie.ics"))
    remote.put(event("serie~20260304T080000Z", 17, uid="serie", recurrence_id=instance, href="/serie.ics"))
    assert shown(calendars) == ["serie", "serie~20260304T080000Z"]
    remote.put(event("serie", rrule="FREQ=DAILY;COUNT=2", href="/serie.ics"))
    clock.instant += timedelta(minutes=2)
    assert shown(calendars) == ["serie", "serie"]


def test_a_provider_that_is_down_is_named_with_the_age_of_what_is_known(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    remote.down = Unavailable("The remote is down.", "Wait.")
    with pytest.raises(Unavailable, match=r"The remote is down\. The calendar google/work was never read"):
        calendars.readable(WORK)
    remote.down = None
    calendars.readable(WORK)
    clock.instant += timedelta(hours=3, minutes=20)
    remote.down = Unavailable("The remote is down.", "Wait.")
    with pytest.raises(Unavailable, match="3 hours old") as refused:
        calendars.readable(WORK)
    assert "Native calendars work" in refused.value.hint
    remote.down = Forbidden("The remote refuses.", "Connect again.", code="provider_credentials")
    with pytest.raises(Forbidden, match="3 hours old"):
        calendars.readable(WORK)


def test_native_calendars_do_not_notice(desk: Desk, remote: Remote) -> None:
    remote.down = Unavailable("The remote is down.", "Wait.")
    assert book(desk, replace(draft(9), calendar_id="primary")).event.summary == "Booked"


def test_a_booking_sees_what_was_entered_elsewhere_a_moment_ago(desk: Desk, remote: Remote) -> None:
    desk.calendars.readable(WORK)
    remote.put(event("lunch", 10))
    with pytest.raises(Conflict):
        book(desk, draft(9))
    assert book(desk, draft(10)).event.id in remote.events


def test_a_booking_stands_once_after_it_comes_back_with_the_next_pull(
    desk: Desk, remote: Remote, clock: FixedClock
) -> None:
    booked = book(desk, draft(9)).event
    clock.instant += timedelta(minutes=2)
    assert shown(desk.calendars) == [booked.id]
    assert cancel(desk, WORK, booked.id)
    assert remote.events == {}
    clock.instant += timedelta(minutes=2)
    assert shown(desk.calendars) == []


def test_a_booking_that_was_deleted_elsewhere_is_known_to_be_cancelled(
    desk: Desk, remote: Remote, clock: FixedClock
) -> None:
    booked = book(desk, draft(9)).event
    remote.drop(booked.id)
    clock.instant += timedelta(minutes=2)
    assert shown(desk.calendars) == []
    assert cancel(desk, WORK, booked.id) is False


def test_a_booking_during_a_pull_is_not_undone_by_what_the_provider_said_before(
    connector: Connector, desk: Desk, remote: Remote, clock: FixedClock
) -> None:
    rival = Desk(
        Calendars(connector.calendars.store, SCOPE, clock=clock, remotes=connector.connected),
        actor="ben",
        random_bytes=os.urandom,
        pauses=Pauses(lambda _: None, lambda: 0.5),
    )
    remote.put(event("one", 15))
    booked: list[str] = []

    def book_meanwhile() -> None:
        remote.meanwhile = lambda: None
        booked.append(book(rival, draft(9)).event.id)

    remote.meanwhile = book_meanwhile
    connector.connected.sync(desk.calendars.find(WORK))
    assert set(shown(desk.calendars)) == {booked[0], "one"}


def test_what_an_operation_is_busy_with_is_asked_for_again(
    connector: Connector, desk: Desk, remote: Remote, clock: FixedClock
) -> None:
    booked = book(desk, draft(9)).event
    desk.calendars.readable(WORK)
    remote.meanwhile = lambda: setattr(remote, "down", Unavailable("The remote is down.", "Wait."))
    with pytest.raises(Unavailable, match="marked to be cancelled"):
        cancel(desk, WORK, booked.id)
    remote.down, remote.meanwhile = None, lambda: None
    remote.put(replace(remote.events[booked.id], summary="Changed elsewhere"))
    before = connector.connected.state(desk.calendars.find(WORK))
    connector.connected.sync(desk.calendars.find(WORK))
    after = connector.connected.state(desk.calendars.find(WORK))
    assert before is not None
    assert after is not None
    assert after.token == before.token
    clock.instant += timedelta(minutes=5)
    assert desk.recover().settled == 1
    assert remote.events == {}
    assert shown(desk.calendars) == []


def test_events_that_cannot_be_read_are_kept_in_mind(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.unreadable = ("Odd one: it has two rules",)
    assert connector.connected.sync(calendars.find(WORK)).unreadable == remote.unreadable
    state = connector.connected.state(calendars.find(WORK))
    assert state is not None
    assert state.unreadable == remote.unreadable


def test_new_calendars_are_discovered_and_changed_ones_noted(connector: Connector, remote: Remote) -> None:
    assert connector.discover("google/home") is None
    remote.calendar_list = [
        RemoteCalendar(id="work", name="Work!", access_role="reader", timezone="Europe/Berlin"),
        RemoteCalendar(id="home", name="Home"),
    ]
    found = connector.discover("google/home")
    assert isinstance(found, CalendarRecord)
    work = connector.calendars.find(WORK)
    assert (work.name, work.access_role) == ("Work!", "reader")
    assert connector.discover("caldav/home") is None


def test_days_are_read_anew_where_a_calendar_changes_its_zone(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.put(event("one"))
    calendars.readable(WORK)
    remote.calendar_list = [RemoteCalendar(id="work", name="Work", timezone="Asia/Tokyo")]
    connector.list_calendars(connector.accounts.find("google", "mine"))
    assert connector.connected.state(calendars.find(WORK)) is None
    assert calendars.find(WORK).timezone == "Asia/Tokyo"


def test_equal_names_in_two_accounts_do_not_collide(connector: Connector) -> None:
    other = connector.accounts.keep("google", "other", b"secret")
    assert [one.id for one in connector.list_calendars(other)] == ["google/work@other"]


def test_disconnecting_forgets_the_account_and_everything_that_was_read(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    for number in range(120):
        remote.put(event(f"event{number}"))
    calendars.readable(WORK)
    assert connector.disconnect("google", "mine") == [WORK]
    assert connector.accounts.listed() == []
    with pytest.raises(NotFound):
        calendars.find(WORK)
    again = connector.accounts.keep("google", "mine", b"secret")
    connector.list_calendars(again)
    remote.events.clear()
    assert shown(calendars) == []
