"""Claims, as a caller of the tools sees them."""

from datetime import timedelta
from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from tests.unit.families.team.teams import MINUTES, SECONDS, Team

KEY = "story:JIRA-123"


def test_a_claim_has_one_holder_and_says_who(team: Team):
    mine = team.claim(KEY, "a", 60 * SECONDS, metadata={"why": "tests"})
    theirs = team.claim(KEY, "b")

    assert mine["ok"] is True
    assert mine["deduped"] is False
    assert mine["claim"]["expires_at"] == team.now + 60 * SECONDS
    assert mine["claim"]["metadata"] == {"why": "tests"}
    assert theirs == {
        "ok": False,
        "held_by": "a",
        "held_key": KEY,
        "expires_at": team.now + 60 * SECONDS,
        "expires_in_ms": 60 * SECONDS,
        "untrusted": True,
    }


def test_the_same_holder_refreshes_its_claim(team: Team, clock: FixedClock):
    first = team.claim(KEY, "a", 60 * SECONDS, metadata={"why": "tests"})
    clock.instant += timedelta(seconds=50)
    again = team.claim(KEY, "a", 5 * SECONDS)

    assert again["deduped"] is True
    assert again["claim"]["token"] == first["claim"]["token"]
    assert again["claim"]["acquired_at"] == first["claim"]["acquired_at"]
    assert again["claim"]["expires_at"] == team.now + 5 * SECONDS
    assert again["claim"]["metadata"] == {"why": "tests"}
    assert len(team.events("claim_acquired")) == 1


def test_releasing_twice_says_that_it_is_not_held(team: Team):
    team.claim(KEY, "a")

    assert team.release(KEY, "a") == {"ok": True}
    assert team.release(KEY, "a") == {"ok": False, "reason": "not_held"}
    assert team.release("story:never", "a") == {"ok": False, "reason": "not_held"}
    assert [event.kind for event in team.events()] == ["claim_acquired", "claim_released"]


def test_only_the_holder_releases_and_extends(team: Team):
    deadline = team.claim(KEY, "a")["claim"]["expires_at"]
    refusal = {"ok": False, "reason": "wrong_holder", "held_by": "a", "expires_at": deadline, "untrusted": True}

    assert team.release(KEY, "b") == refusal
    assert team.extend(KEY, "b") == refusal
    assert team.holders() == {KEY: "a"}


def test_extending_replaces_the_deadline(team: Team, clock: FixedClock):
    team.claim(KEY, "a", 60 * MINUTES)
    clock.instant += timedelta(minutes=1)

    assert team.extend(KEY, "a", 5 * SECONDS) == {"ok": True, "expires_at": team.now + 5 * SECONDS}
    clock.instant += timedelta(seconds=5)
    assert team.claim(KEY, "b")["ok"] is True


def test_a_claim_that_ran_out_cannot_be_extended(team: Team, clock: FixedClock):
    team.claim(KEY, "a", 5 * SECONDS)
    clock.instant += timedelta(seconds=5)

    assert team.extend(KEY, "a")["reason"] == "not_held"
    assert team.claim(KEY, "b")["ok"] is True


def test_a_claim_holds_until_the_last_millisecond(team: Team, clock: FixedClock):
    team.claim(KEY, "a", 5 * SECONDS)
    clock.instant += timedelta(milliseconds=4999)
    assert team.claim(KEY, "b")["expires_in_ms"] == 1

    clock.instant += timedelta(milliseconds=1)
    assert team.claim(KEY, "b")["ok"] is True


def test_tokens_grow_with_each_acquisition_also_within_a_millisecond_and_when_clocks_go_back(
    team: Team, clock: FixedClock
):
    tokens: list[int] = []
    for seconds in (0, 0, 60, -3600, -3600):
        clock.instant += timedelta(seconds=seconds)
        tokens.append(team.claim(KEY, "a")["claim"]["token"])
        team.release(KEY, "a")

    assert tokens == sorted(set(tokens))


def test_tokens_grow_after_the_claim_was_forgotten(team: Team, clock: FixedClock):
    first = team.claim(KEY, "a")["claim"]["token"]
    team.release(KEY, "a")
    clock.instant += timedelta(days=2)
    team.database.sweep()

    assert team.claim(KEY, "b")["claim"]["token"] > first


@pytest.mark.parametrize("ttl_ms", [4999, 86_400_001, "soon"])
def test_a_ttl_out_of_bounds_is_refused(team: Team, ttl_ms: object):
    assert '"ttl_ms"' in team.refusal("claim", key=KEY, holder="a", ttl_ms=ttl_ms)


@pytest.mark.parametrize("key", ["", "x" * 257])
def test_a_key_has_1_to_256_characters(team: Team, key: str):
    assert '"key"' in team.refusal("claim", key=key, holder="a", ttl_ms=5000)


@pytest.mark.parametrize("key", [" story:1", "story:1\n"])
def test_blanks_around_a_key_make_no_other_key_of_it(team: Team, key: str):
    assert team.claim("story:1", "a")["ok"] is True
    assert team.claim(key, "b")["held_key"] == "story:1"
    assert team.holders(key=key) == {"story:1": "a"}
    assert team.release(key, "a") == {"ok": True}
    assert team.claim(key, "b")["claim"]["key"] == "story:1"


@pytest.mark.parametrize("key", ["x" * 256, "🚲" * 256, "#" * 256, "\x00 !%", "file:" + "é" * 250])
def test_any_text_is_a_key(team: Team, key: str):
    assert team.claim(key, "a")["ok"] is True
    assert team.claim(key, "b")["held_key"] == key
    assert team.holders(key=key) == {key: "a"}
    assert team.release(key, "a") == {"ok": True}
    assert team.events("claim_released")[0].payload["key"] == key


def test_metadata_over_8_kb_is_refused(team: Team):
    assert "over 8192" in team.refusal("claim", key=KEY, holder="a", ttl_ms=5000, metadata={"x": "y" * 8200})


def test_metadata_that_came_as_text_is_read(team: Team):
    assert team.claim(KEY, "a", metadata='{"why": "tests"}')["claim"]["metadata"] == {"why": "tests"}


def test_projects_do_not_see_each_others_claims(team: Team):
    elsewhere = Scope("tenant", "other")
    team.claim(KEY, "a")

    assert team.claim(KEY, "b", scope=elsewhere)["ok"] is True
    assert team.holders(scope=elsewhere) == {KEY: "b"}


def test_claims_are_listed_by_key_holder_and_overlap(team: Team):
    for key, holder in (("src/*.py", "a"), ("file:src/b.ts", "b"), ("story:1", "a")):
        team.claim(key, holder)

    assert team.holders() == {"src/*.py": "a", "file:src/b.ts": "b", "story:1": "a"}
    assert team.holders(holder="a") == {"src/*.py": "a", "story:1": "a"}
    assert team.holders(key="file:src/") == {"src/*.py": "a", "file:src/b.ts": "b"}
    assert team.holders(key="src/z.py") == {"src/*.py": "a"}


def test_a_long_list_comes_in_pages(team: Team):
    for number in range(7):
        team.claim(f"story:{number}", "a")
    team.release("story:3", "a")
    keys: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = team.call("list_claims", limit=2, **cursor)
        keys += [one["key"] for one in page["claims"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert keys == [f"story:{number}" for number in (0, 1, 2, 4, 5, 6)]


def test_listing_and_mapping_never_write(team: Team, clock: FixedClock):
    team.claim(KEY, "a", 5 * SECONDS)
    team.claim("src/*.py", "a", 60 * SECONDS)
    team.call("heartbeat", current_file="src/a.py")
    clock.instant += timedelta(seconds=30)
    before, events = team.stored_bytes(), len(team.events())

    assert team.holders() == {"src/*.py": "a"}
    for reading in ("get_focus_map", "list_active_users", "get_broadcast", "list_pending_reviews"):
        team.call(reading)
    assert team.stored_bytes() == before
    assert len(team.events()) == events


def test_what_is_held_is_told_in_events(team: Team):
    claim = team.claim(KEY, "a", 60 * SECONDS, actor="ann", metadata={"story": 1})["claim"]
    (event,) = team.events()

    assert (event.kind, event.key, event.actor, event.at) == ("claim_acquired", KEY, "ann", team.now)
    assert event.payload == {
        "key": KEY,
        "holder": "a",
        "actor": "ann",
        "token": claim["token"],
        "acquired_at": claim["acquired_at"],
        "expires_at": claim["expires_at"],
        "metadata": {"story": 1},
    }
