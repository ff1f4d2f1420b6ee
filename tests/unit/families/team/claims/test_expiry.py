"""Test that the end of an expired claim is announced once, also to its holder."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.core.records import GLOBS
from almanac.kernel.clock import FixedClock
from tests.unit.families.team.teams import SCOPE, SECONDS, Team

KEYS = ["story:1", "src/*.py"]


def announce(team: Team) -> int:
    return announce_expired(team.services, SCOPE)


@pytest.mark.parametrize("key", KEYS)
def test_expiry_is_announced_once_by_whoever_looks(team: Team, clock: FixedClock, key: str):
    claim = team.claim(key, "a", 5 * SECONDS, metadata={"why": "tests"})["claim"]
    clock.instant += timedelta(milliseconds=4999)
    assert announce(team) == 0
    clock.instant += timedelta(milliseconds=1)

    assert announce(team) == 1
    assert announce(team) == 0
    (event,) = team.events("claim_expired")
    assert event.actor == "almanac"
    assert event.at == claim["expires_at"]
    assert event.payload["metadata"] == {"why": "tests"}
    assert {name: event.payload[name] for name in ("key", "holder", "token", "expires_at")} == {
        name: claim[name] for name in ("key", "holder", "token", "expires_at")
    }


@pytest.mark.parametrize(
    ("tool", "key", "holder"),
    [
        ("claim", "story:1", "b"),
        ("release", "story:1", "b"),
        ("extend", "story:1", "a"),
        ("claim", "story:*", "b"),
        ("claim", "story:2", "a"),
    ],
)
def test_who_comes_upon_an_expired_claim_announces_it(team: Team, clock: FixedClock, tool: str, key: str, holder: str):
    team.claim("story:1", "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=6)
    ttl: dict[str, Any] = {} if tool == "release" else {"ttl_ms": 5000}
    team.call(tool, key=key, holder=holder, **ttl)
    announce(team)

    assert [event.payload["key"] for event in team.events("claim_expired")] == ["story:1"]


def test_expiry_comes_before_the_next_acquisition_in_the_order_of_events(team: Team, clock: FixedClock):
    team.claim("story:1", "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=6)
    team.claim("story:1", "b")

    assert [event.kind for event in team.events()] == ["claim_acquired", "claim_expired", "claim_acquired"]


def test_many_who_announce_at_once_announce_once(team: Team, clock: FixedClock):
    for number in range(40):
        team.claim(f"story:{number}", "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=6)
    with ThreadPoolExecutor(8) as pool:
        announced = list(pool.map(announce, [team] * 8))

    assert sum(announced) == 40
    assert (
        len({event.payload["key"] for event in team.events("claim_expired")}) == len(team.events("claim_expired")) == 40
    )


def test_a_refreshed_claim_does_not_run_out_at_its_first_deadline(team: Team, clock: FixedClock):
    team.claim("story:1", "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=4)
    team.extend("story:1", "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=4)

    assert announce(team) == 0
    assert team.claim("story:1", "b")["ok"] is False


@pytest.mark.parametrize("settled", [True, False], ids=["announced before", "not announced yet"])
@pytest.mark.parametrize("key", KEYS)
def test_the_former_holder_is_told_once_at_its_next_call(team: Team, clock: FixedClock, key: str, settled: bool):
    claim = team.claim(key, "a", 5 * SECONDS)["claim"]
    clock.instant += timedelta(seconds=6)
    if settled:
        announce(team)
    assert "notices" not in team.claim("story:other", "b")
    next_call = team.claim("story:mine", "a")

    assert next_call["notices"] == [
        {"key": key, "token": claim["token"], "expired_at": claim["expires_at"], "kind": "claim_expired"}
    ]
    assert "notices" not in team.claim("story:mine", "a")


@pytest.mark.parametrize("settled", [True, False], ids=["announced before", "not announced yet"])
def test_a_heartbeat_tells_it_to_who_says_as_whom_it_holds_claims(team: Team, clock: FixedClock, settled: bool):
    team.claim("story:1", "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=6)
    if settled:
        announce(team)
    assert "notices" not in team.call("heartbeat")
    assert "notices" not in team.call("heartbeat", holder="b")

    assert [notice["key"] for notice in team.call("heartbeat", holder="a")["notices"]] == ["story:1"]
    assert "notices" not in team.call("heartbeat", holder="a")


@pytest.mark.parametrize("settled", [True, False], ids=["announced before", "not announced yet"])
def test_listing_ones_claims_shows_what_ran_out_and_changes_nothing(team: Team, clock: FixedClock, settled: bool):
    claim = team.claim("story:1", "a", 5 * SECONDS)["claim"]
    clock.instant += timedelta(seconds=6)
    if settled:
        announce(team)
    events = team.events()
    told = {"key": "story:1", "token": claim["token"], "expired_at": claim["expires_at"], "kind": "claim_expired"}

    assert [team.call("list_claims", holder="a")["notices"] for _ in range(2)] == [[told], [told]]
    assert "notices" not in team.call("list_claims", holder="b")
    assert "notices" not in team.call("list_claims")
    assert team.events() == events
    assert team.claim("story:2", "a")["notices"] == [told]


@pytest.mark.parametrize("shorter", [0, 1], ids=["one after the other", "in one instant"])
@pytest.mark.parametrize("settled", [True, False], ids=["announced before", "not announced yet"])
def test_what_ran_out_is_told_in_its_order_not_by_chance(team: Team, clock: FixedClock, settled: bool, shorter: int):
    keys = [f"story:{number}" for number in range(25)]
    for number, key in enumerate(keys):
        team.claim(key, "a", 6 * SECONDS - shorter * number)
        clock.instant += timedelta(milliseconds=1)
    clock.instant += timedelta(seconds=6)
    if settled:
        announce(team)

    def notices_of(tool: str) -> list[str]:
        return [notice["key"] for notice in team.call(tool, holder="a")["notices"]]

    assert notices_of("list_claims") == keys[:20]
    assert [notices_of("heartbeat"), notices_of("heartbeat")] == [keys[:20], keys[20:]]


def test_who_claims_its_expired_claim_again_is_told_that_it_ran_out(team: Team, clock: FixedClock):
    first = team.claim("story:1", "a", 5 * SECONDS)["claim"]
    clock.instant += timedelta(seconds=6)
    again = team.claim("story:1", "a")

    assert again["deduped"] is False
    assert again["claim"]["token"] > first["token"]
    assert [notice["token"] for notice in again["notices"]] == [first["token"]]


def test_an_expired_glob_leaves_the_register(team: Team, clock: FixedClock):
    team.claim("src/*.py", "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=6)
    announce(team)
    register = GLOBS.within(team.store, SCOPE).get("file")

    assert register is not None
    assert register.entries == []
