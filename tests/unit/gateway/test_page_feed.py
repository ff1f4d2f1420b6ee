"""Pages of the dashboard on AWS: a ticket of their session lets them in, and they hear that something changed."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from almanac.identity.browser_sessions import BrowserSessions, SignedInSession
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.feed.records import LISTENERS, PLACES, socket_key
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.feed_world import FeedWorld

MOON = Scope("acme", "moon")
PAGES = "https://almanac.example"


class PageWorld(FeedWorld):
    def session(self, tenant: str = "acme", **grant: Any) -> SignedInSession:
        key = self.key(tenant, **grant)
        record = self.keys.find(key.split("_")[1])
        assert record is not None
        signed = self.browsers.find(self.browsers.begin(record, "moon"))
        assert signed is not None
        return signed

    @property
    def browsers(self) -> BrowserSessions:
        return BrowserSessions(self.store, self.clock, self.random)

    def follow(self, connection: str, ticket: str, origin: str = PAGES) -> int:
        if (status := self.socket("$connect", connection, origin=origin)) != 200:
            return status
        return self.socket("$default", connection, {"type": "follow", "ticket": ticket})

    def code(self, connection: str) -> str:
        return self.connections.sent[connection][-1]["code"]


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Iterable[PageWorld]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield PageWorld(store, clock, allowed_origins=frozenset({PAGES}))
    store.close()


def test_a_page_is_told_that_its_project_changed_and_no_events(world: PageWorld):
    signed = world.session()
    assert world.follow("c1", world.browsers.new_ticket(signed.session)) == 200
    world.happen(1, Scope("rival", "moon"))
    world.push()
    assert world.connections.sent["c1"] == [{"type": "following"}]
    for number in range(3):
        world.happen(number, text="of nobody else's concern")
    world.push()
    assert world.connections.sent["c1"] == [{"type": "following"}, {"type": "changed"}]


def test_a_ticket_lets_one_page_in(world: PageWorld):
    ticket = world.browsers.new_ticket(world.session().session)
    assert world.follow("c1", ticket) == 200
    assert world.follow("c2", ticket) == 403
    assert (world.code("c2"), "c2" in world.connections.closed) == ("unauthorized", True)
    assert world.store.get(socket_key("c2")) is None


def test_a_ticket_holds_for_a_minute(world: PageWorld):
    ticket = world.browsers.new_ticket(world.session().session)
    world.clock.instant += timedelta(seconds=60)
    assert world.follow("c1", ticket) == 403
    assert world.code("c1") == "unauthorized"


@pytest.mark.parametrize("ticket", ["", "a" * 32, "A" * 32, "../" * 10, "alm_abcdefghij_wrong"])
def test_what_is_no_ticket_is_refused(world: PageWorld, ticket: str):
    assert world.follow("c1", ticket) == 403
    assert world.code("c1") == "unauthorized"
    assert "c1" in world.connections.closed


def test_a_ticket_of_an_ended_session_or_key_is_refused(world: PageWorld):
    ended, revoked = world.session(), world.session()
    tickets = [world.browsers.new_ticket(each.session) for each in (ended, revoked)]
    world.browsers.end(ended.key, ended.session.id)
    world.keys.revoke(revoked.key.id)
    assert [world.follow(f"c{n}", ticket) for n, ticket in enumerate(tickets)] == [403, 403]


def test_a_page_from_another_origin_gets_no_connection(world: PageWorld):
    ticket = world.browsers.new_ticket(world.session().session)
    for origin in ("https://evil.example", "http://almanac.example", "null"):
        assert world.follow("c1", ticket, origin=origin) == 403
    assert world.connections.sent["c1"] == []
    assert world.follow("c1", ticket) == 200, "it was not used up"


def test_a_ticket_of_another_tenant_is_told_of_that_tenant_only(world: PageWorld):
    assert world.follow("c1", world.browsers.new_ticket(world.session("rival").session)) == 200
    world.happen(1)
    world.push()
    assert world.connections.types("c1") == ["following"]
    assert LISTENERS.within(world.store, MOON).get("c1") is None


def test_a_page_hears_of_the_families_of_its_key_only(world: PageWorld):
    assert world.follow("c1", world.browsers.new_ticket(world.session(families=("calendar",)).session)) == 200
    world.happen(1)
    world.push()
    assert world.connections.types("c1") == ["following"]


@pytest.mark.parametrize("frame", [{"type": "subscribe"}, {"type": "authenticate", "key": "x"}, {"type": "follow"}])
def test_a_page_cannot_ask_for_events(world: PageWorld, frame: dict[str, str]):
    signed = world.session()
    world.follow("c1", world.browsers.new_ticket(signed.session))
    more = {"ticket": world.browsers.new_ticket(signed.session)} if frame["type"] == "follow" else {}
    assert world.socket("$default", "c1", frame | more) == 403
    assert "c1" in world.connections.closed
    assert LISTENERS.within(world.store, MOON).get("c1") is None


def test_the_end_of_a_session_ends_its_pages_and_no_others(world: PageWorld):
    one, other = world.session(), world.session()
    world.follow("c1", world.browsers.new_ticket(one.session))
    world.follow("c2", world.browsers.new_ticket(other.session))
    world.browsers.end(one.key, one.session.id)
    world.happen(1)
    world.push()
    assert world.code("c1") == "unauthorized"
    assert "c1" in world.connections.closed
    assert world.connections.types("c2") == ["following", "changed"]


def test_a_session_has_four_pages_that_follow(world: PageWorld):
    signed = world.session()
    for number in range(4):
        assert world.follow(f"c{number}", world.browsers.new_ticket(signed.session)) == 200
    assert world.follow("c4", world.browsers.new_ticket(signed.session)) == 403
    assert world.code("c4") == "limit_exceeded"
    world.socket("$disconnect", "c0")
    assert world.follow("c5", world.browsers.new_ticket(signed.session)) == 200
    assert len([*PLACES.within(world.store, MOON).every(f"session {signed.session.id}", page=9)]) == 4
