"""Test the queue for claims: the first to wait is the first to get the key."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.queue import GRACE_MS, grant_waiting
from almanac.families.team.claims.requests import AcquiredClaim
from almanac.kernel.clock import FixedClock, SystemClock
from almanac.platform.store.contention import Backoff
from tests.unit.families.team.rivals import Witness
from tests.unit.families.team.teams import SCOPE, SECONDS, Team, open_project, open_store

KEYS = [("story:1", "story:1"), ("src/a.py", "src/*.py"), ("src/*.py", "src/a.py"), ("src/lib", "src")]


def waits(team: Team, key: str, holder: str, actor: str = "ann") -> Any:
    return team.claim(key, holder, 3600 * SECONDS, actor=actor, wait=True)


@pytest.mark.parametrize(("held", "wanted"), KEYS)
def test_who_waits_has_the_claim_when_it_is_released_and_is_told(team: Team, held: str, wanted: str):
    team.claim(held, "h")
    waiting = waits(team, wanted, "w", "bob")
    assert (waiting["ok"], waiting["held_by"], waiting["queued"]["position"]) == (False, "h", 1)
    team.release(held, "h")

    assert not team.claim(wanted, "third", actor="cid")["ok"]
    assert team.holders() == {wanted: "w"}
    (notice,) = team.call("heartbeat", actor="bob", holder="w")["notices"]
    assert (notice["kind"], notice["key"], notice["expires_at"]) == ("claim_granted", wanted, team.now + GRACE_MS)
    (event,) = team.events("claim_granted")
    assert (event.actor, event.payload["holder"], event.payload["token"]) == ("bob", "w", notice["token"])
    kept = waits(team, wanted, "w", "bob")
    assert (kept["deduped"], kept["claim"]["expires_in_ms"]) == (True, 3600 * SECONDS)
    assert "waiting" not in team.call("list_claims")


def test_the_line_is_first_come_first_served_and_a_place_is_kept_by_asking_again(team: Team, clock: FixedClock):
    team.claim("story:1", "h")
    for holder in ("a", "b", "c"):
        waits(team, "story:1", holder)
    assert [waits(team, "story:1", holder)["queued"]["position"] for holder in ("b", "c", "a")] == [2, 3, 1]
    assert [one["holder"] for one in team.call("list_claims", key="story:1")["waiting"]] == ["a", "b", "c"]

    had: list[str] = []
    holder = "h"
    for _ in range(3):
        team.release("story:1", holder)
        (holder,) = team.holders().values()
        had.append(holder)
    assert had == ["a", "b", "c"]


def test_what_is_granted_and_not_taken_up_goes_to_the_next(team: Team, clock: FixedClock):
    team.claim("story:1", "h", 5 * SECONDS)
    waits(team, "story:1", "a")
    waits(team, "story:1", "b")
    services = team.services
    for holder in ("a", "b"):
        clock.instant += timedelta(milliseconds=GRACE_MS)
        announce_expired(services, SCOPE)
        grant_waiting(services, SCOPE)
        assert team.holders() == {"story:1": holder}
    kinds = [notice["kind"] for notice in team.call("heartbeat", holder="a")["notices"]]
    assert sorted(kinds) == ["claim_expired", "claim_granted"]


def test_an_expired_claim_is_granted_to_who_waits_before_a_third_who_asks(team: Team, clock: FixedClock):
    team.claim("story:1", "h", 5 * SECONDS)
    waits(team, "story:1", "w")
    clock.instant += timedelta(seconds=5)
    assert team.claim("story:1", "third")["held_by"] == "w"


def test_places_end_and_are_given_up(team: Team, clock: FixedClock):
    team.claim("story:1", "h", 3600 * SECONDS)
    waits(team, "story:1", "a")
    clock.instant += timedelta(minutes=9)
    waits(team, "story:1", "b")
    waits(team, "story:1", "c")
    assert team.release("story:1", "b") == {"ok": True, "left_queue": True}
    assert team.release("story:1", "b")["ok"] is False
    clock.instant += timedelta(minutes=2)
    team.release("story:1", "h")
    assert team.holders() == {"story:1": "c"}


def test_nobody_waits_for_what_is_free(team: Team):
    assert waits(team, "story:1", "a")["ok"]
    assert team.events("claim_granted") == []


def test_who_waits_for_something_large_does_not_hold_up_others(team: Team):
    team.claim("src/a.py", "h")
    waits(team, "src", "w")
    assert team.claim("src/b.py", "k")["ok"]
    team.release("src/a.py", "h")
    assert team.holders() == {"src/b.py": "k"}
    team.release("src/b.py", "k")
    assert team.holders() == {"src": "w"}


def test_force_does_not_stand_in_line(team: Team):
    team.claim("story:1", "h")
    waits(team, "story:1", "w")
    assert team.claim("story:1", "boss", force=True, reason="urgent")["ok"]
    team.release("story:1", "boss")
    assert team.holders() == {"story:1": "w"}


def test_the_line_is_bounded(team: Team):
    team.claim("story:1", "h")
    for number in range(100):
        waits(team, "story:1", f"w{number}")
    assert "wait for claims" in team.refusal("claim", key="story:1", holder="late", ttl_ms=5000, wait=True)
    assert waits(team, "story:1", "w7")["queued"]["position"] == 8


def test_clients_who_wait_hold_one_after_the_other_and_all_of_them_have_their_turn(tmp_path: Path):
    store, witness, gate = open_store(tmp_path, SystemClock()), Witness(), threading.Barrier(6)
    keys = ["src/a.py", "src/*.py", "src", "src/a.py", "src/b.py", "src/**"]

    def client(number: int) -> None:
        project = open_project(store, SystemClock(), actor=f"actor{number}")
        project = replace(project, backoff=Backoff(sleep=time.sleep, random=lambda: 0.5))
        claims, holder, key = Claims(project), f"h{number}", keys[number]
        gate.wait(timeout=60)
        for _ in range(4):
            while not isinstance(claims.acquire(key, holder, 60_000, wait=True), AcquiredClaim):
                time.sleep(0.002)
            witness.enter(key, holder)
            witness.leave(key)
            claims.release(key, holder)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(client, range(6)))
    store.close()
    assert witness.wins == 24
