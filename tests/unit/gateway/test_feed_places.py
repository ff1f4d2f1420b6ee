"""Test that no key and no tenant exceeds its number of connections to the live feed on AWS."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from almanac.gateway.feed.admission import FeedLimits
from almanac.kernel.clock import FixedClock
from almanac.platform.feed.records import PLACES
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.feed_world import MOON, FeedWorld


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Iterable[FeedWorld]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield FeedWorld(store, clock, limits=FeedLimits(of_tenant=5, of_key=3))
    store.close()


def connect(world: FeedWorld, connection: str, key: str) -> int:
    return world.socket("$connect", connection, x_api_key=key)


def count_places(world: FeedWorld) -> int:
    return len(PLACES.within(world.store, MOON).query().records)


def test_a_key_and_a_tenant_have_so_many_places_and_others_their_own(world: FeedWorld):
    first, second = world.key(), world.key(project="default")
    assert [connect(world, f"a{number}", first) for number in range(4)] == [200, 200, 200, 429]
    assert [connect(world, f"b{number}", second) for number in range(3)] == [200, 200, 429]
    assert connect(world, "c", world.key("rival")) == 200


def test_who_says_a_key_that_has_no_place_left_is_told_and_hung_up_on(world: FeedWorld):
    key = world.key()
    for number in range(3):
        assert connect(world, f"a{number}", key) == 200
    assert world.socket("$connect", "late") == 200
    assert world.socket("$default", "late", {"type": "authenticate", "key": key}) == 403
    (frame,) = world.connections.sent["late"]
    assert (frame["code"], frame["message"]) == ("limit_exceeded", "As many listen already as may for this key.")
    assert "late" in world.connections.closed


def test_who_goes_leaves_its_places_to_others_once(world: FeedWorld):
    key = world.key()
    for number in range(3):
        world.listen(f"a{number}", key)
    for _ in range(2):
        assert world.socket("$disconnect", "a0") == 200
    world.connections.close("a1")
    world.happen(1)
    world.push()
    assert count_places(world) == 2
    assert [connect(world, f"b{number}", key) for number in range(3)] == [200, 200, 429]


def test_a_connection_whose_end_nobody_heard_keeps_its_places_for_as_long_as_it_could_be_open(world: FeedWorld):
    key = world.key()
    for number in range(3):
        assert connect(world, f"a{number}", key) == 200
    world.clock.instant += timedelta(hours=2)
    assert connect(world, "b", key) == 429
    world.clock.instant += timedelta(minutes=11)
    assert connect(world, "b", key) == 200
    assert world.socket("$disconnect", "a0") == 200
    assert count_places(world) == 2


def test_many_who_connect_at_once_are_never_more_than_there_are_places(world: FeedWorld):
    key = world.key()
    assert connect(world, "first", key) == 200
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(partial(connect, world, key=key), [f"a{number}" for number in range(16)]))
    assert sorted(answers) == [200] * 2 + [429] * 14
    assert count_places(world) == 6


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("null", 403), ("https://feed.example.com", 403), ("https://app.example.com", 200)],
)
def test_pages_of_other_sites_get_no_connection(tmp_path: Path, clock: FixedClock, origin: str, status: int) -> None:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    world = FeedWorld(store, clock, allowed_origins=frozenset({"https://app.example.com"}))
    for headers in ({}, {"x_api_key": world.key()}):
        assert world.socket("$connect", "c", origin=origin, host="feed.example.com", **headers) == status
    store.close()
