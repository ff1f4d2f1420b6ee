"""Test the live feed on AWS: admission, messages, and slow readers."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.bus.records import DONE
from almanac.platform.feed.log import Log
from almanac.platform.feed.records import HEAD, LISTENERS, LogHead, socket_key
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.feed_world import FeedWorld

MOON = Scope("acme", "moon")


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Iterable[FeedWorld]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield FeedWorld(store, clock)
    store.close()


def test_a_listener_is_told_what_happens_after_it_subscribed(world: FeedWorld):
    world.happen(1)
    world.push()
    world.listen("c1", world.key())
    for number in range(2, 25):
        world.happen(number)
    world.push()
    assert world.connections.types("c1")[0] == "subscribed"
    assert world.connections.numbers("c1") == list(range(2, 25))


def test_a_cursor_brings_what_came_after_it_and_the_events_messages_come_once(world: FeedWorld):
    world.listen("c1", world.key())
    for number in range(1, 31):
        world.happen(number)
    world.push(times=2)
    assert world.connections.numbers("c1") == list(range(1, 31))
    cursor = world.connections.events("c1")[11]["cursor"]
    world.listen("c2", world.key(), since=cursor)
    world.wake()
    assert world.connections.numbers("c2") == list(range(13, 31))
    assert world.connections.numbers("c1") == list(range(1, 31))


def test_a_batch_that_the_queue_brings_again_is_in_the_log_once_without_a_marker(world: FeedWorld):
    earlier = HEAD.within(world.store, MOON)
    world.store.write([earlier.insert(LogHead(sequence=40))])
    for number in range(10):
        world.happen(number)
    world.push(times=2)
    world.happen(10)
    world.push(times=2)

    logged = Log(world.store).after(MOON, 40).entries

    assert [(each.sequence, each.event.payload["number"]) for each in logged] == [(41 + at, at) for at in range(11)]
    assert not list(DONE.within(world.store, MOON).every(page=100))


def test_a_listener_chooses_kinds_and_keys(world: FeedWorld):
    world.listen("kinds", world.key(), kinds=["claim_expired"])
    world.listen("keys", world.key(), keys=["file:src/*", "sprint"])
    for number, (kind, key) in enumerate(
        [
            ("claim_expired", "file:doc"),
            ("broadcast_set", "sprint"),
            ("claim_expired", "file:src/a"),
            ("item_moved", "x"),
        ]
    ):
        world.happen(number, kind=kind, key=key)
    world.push()
    assert world.connections.numbers("kinds") == [0, 2]
    assert world.connections.numbers("keys") == [1, 2]


def test_nobody_is_told_of_another_project_or_tenant(world: FeedWorld):
    world.listen("other-project", world.key(project="default"))
    world.listen("other-tenant", world.key("rival"))
    world.listen("own", world.key())
    world.happen(1)
    world.happen(2, Scope("rival", "moon"))
    world.push()
    assert world.connections.numbers("own") == [1]
    assert world.connections.numbers("other-tenant") == [2]
    assert world.connections.numbers("other-project") == []
    foreign = world.connections.events("own")[0]["cursor"]
    assert world.socket("$default", "other-tenant", {"type": "subscribe", "since": foreign}) == 403
    assert world.connections.sent["other-tenant"][-1]["code"] == "invalid_input"


@pytest.mark.parametrize("headers", [{"x_api_key": "alm_abcdefghij_wrong"}, {"authorization": "Bearer nonsense"}])
def test_a_wrong_key_gets_no_connection(world: FeedWorld, headers: dict[str, str]):
    assert world.socket("$connect", "c1", **headers) == 401
    assert world.store.get(socket_key("c1")) is None


def test_a_key_without_the_team_family_may_not_listen(world: FeedWorld):
    assert world.socket("$connect", "c1", x_api_key=world.key(families=("time",))) == 403


def test_a_key_in_the_url_is_not_looked_at(world: FeedWorld):
    assert world.socket("$connect", "c1") == 200
    assert world.socket("$default", "c1", {"type": "subscribe"}) == 403
    assert world.connections.sent["c1"][-1]["code"] == "unauthorized"
    assert "c1" in world.connections.closed


def test_a_browser_says_its_key_in_the_first_frame(world: FeedWorld):
    key = world.key(project="*")
    assert world.socket("$connect", "c1") == 200
    assert world.socket("$default", "c1", {"type": "authenticate", "key": key, "project": "moon"}) == 200
    assert world.socket("$default", "c1", {"type": "subscribe"}) == 200
    world.happen(1)
    world.push()
    assert world.connections.types("c1") == ["ready", "subscribed", "events"]


def test_a_wrong_key_in_the_first_frame_is_told_and_hung_up_on(world: FeedWorld):
    world.socket("$connect", "c1")
    assert world.socket("$default", "c1", {"type": "authenticate", "key": "alm_abcdefghij_wrong"}) == 403
    assert world.connections.types("c1") == ["error"]
    assert "c1" in world.connections.closed


def test_a_connection_that_says_no_key_in_time_is_known_no_longer(world: FeedWorld):
    world.socket("$connect", "c1")
    world.clock.instant += timedelta(seconds=61)
    assert world.socket("$default", "c1", {"type": "authenticate", "key": world.key()}) == 403


@pytest.mark.parametrize(
    "said",
    [
        "{",
        "[]",
        '{"type": "subscribe", "kinds": ["nothing"]}',
        '{"type": "subscribe", "other": 1}',
        '{"type": "subscribe", "since": "x"}',
        '{"type": "authenticate", "key": "again"}',
        '{"type": "subscribe", "keys": [""]}',
    ],
)
def test_what_is_no_frame_is_told_and_hung_up_on(world: FeedWorld, said: str):
    world.socket("$connect", "c1", x_api_key=world.key())
    assert world.socket("$default", "c1", said) == 403
    assert world.connections.types("c1") == ["error"]
    assert LISTENERS.within(world.store, MOON).get("c1") is None


def test_whoever_is_gone_is_forgotten(world: FeedWorld):
    world.listen("c1", world.key())
    world.listen("c2", world.key())
    assert world.socket("$disconnect", "c1") == 200
    world.connections.close("c2")
    world.happen(1)
    world.push()
    assert LISTENERS.within(world.store, MOON).query().records == ()
    assert world.store.get(socket_key("c2")) is None


def test_a_connection_that_takes_nothing_holds_up_nobody_and_is_given_up_in_the_end(world: FeedWorld):
    world.listen("stuck", world.key())
    world.listen("well", world.key())
    world.connections.stalled.add("stuck")
    for number in range(1, 5):
        world.happen(number)
        world.push()
    assert world.connections.numbers("well") == [1, 2, 3, 4]
    world.connections.stalled.clear()
    world.happen(5)
    world.push()
    assert world.connections.numbers("stuck") == [1, 2, 3, 4, 5]
    world.connections.stalled.add("stuck")
    for number in range(6, 11):
        world.happen(number)
        world.push()
    assert [each.connection for each in LISTENERS.within(world.store, MOON).query().records] == ["well"]


def test_a_revoked_key_is_told_nothing_more(world: FeedWorld):
    key = world.key()
    world.listen("c1", key)
    world.keys.revoke(key.split("_")[1])
    world.happen(1)
    world.push()
    assert world.connections.types("c1") == ["subscribed", "error"]
    assert "c1" in world.connections.closed


def test_a_cursor_older_than_the_log_is_told_and_not_passed_over(world: FeedWorld):
    world.listen("c1", world.key())
    world.happen(1)
    world.push()
    cursor = world.connections.events("c1")[0]["cursor"]
    world.happen(2)
    world.push()
    world.clock.instant += timedelta(hours=25)
    world.happen(3)
    world.push()
    world.listen("c2", world.key(), since=cursor)
    world.wake()
    assert world.connections.sent["c2"][-1]["code"] == "cursor_expired"
    assert world.connections.numbers("c2") == []


def test_large_events_come_in_frames_that_api_gateway_takes(world: FeedWorld):
    world.listen("c1", world.key())
    for number in range(1, 31):
        world.happen(number, text="é" * 7_500)
    world.push()
    assert world.connections.numbers("c1") == list(range(1, 31))


def test_events_that_only_carry_work_are_not_told(world: FeedWorld):
    world.listen("c1", world.key())
    world.happen(1, kind="rule_matched")
    world.happen(2)
    world.push()
    assert world.connections.numbers("c1") == [2]


def test_a_client_that_hangs_up_before_its_answer_is_no_failure(world: FeedWorld) -> None:
    assert world.socket("$connect", "c1", x_api_key=world.key()) == 200
    world.connections.closed.add("c1")
    assert world.socket("$default", "c1", {"type": "subscribe"}) == 410
    assert world.telemetry.defects == []
