"""Broadcasts, as a caller of the tools sees them."""

from datetime import timedelta
from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from tests.unit.families.team.teams import Team


@pytest.mark.parametrize("value", ["2026-W48", "", 7, 1.5, True, False, [1, {"a": None}], {"pr": 12}, "[1, 2]", "7"])
def test_what_is_set_is_read_as_it_was(team: Team, value: Any):
    team.call("set_broadcast", key="current", value=value)
    read = team.call("get_broadcast", key="current")

    assert read["value"] == value
    assert type(read["value"]) is type(value)
    assert (read["key"], read["updated_at"], read["updated_by"]) == ("current", team.now(), "ann")


def test_what_is_not_set_reads_as_null(team: Team):
    assert team.call("get_broadcast", key="current") == {
        "key": "current",
        "value": None,
        "updated_at": None,
        "updated_by": None,
    }


def test_without_a_key_all_are_read_by_key(team: Team):
    assert team.call("get_broadcast") == {"broadcasts": [], "truncated": False}
    for key in ("b", "a", "c"):
        team.call("set_broadcast", key=key, value=key.upper())

    read = team.call("get_broadcast")
    assert [(one["key"], one["value"]) for one in read["broadcasts"]] == [("a", "A"), ("b", "B"), ("c", "C")]


def test_a_long_list_is_cut_and_says_so(team: Team):
    for number in range(501):
        team.call("set_broadcast", key=f"k{number}", value=number)
    read = team.call("get_broadcast")

    assert (len(read["broadcasts"]), read["truncated"]) == (500, True)


def test_the_last_to_write_wins(team: Team, clock: FixedClock):
    team.call("set_broadcast", key="current", value=1)
    clock.instant += timedelta(seconds=1)
    team.call("set_broadcast", actor="bob", key="current", value=2)
    read = team.call("get_broadcast", key="current")

    assert (read["value"], read["updated_by"]) == (2, "bob")
    assert [event.payload["value"] for event in team.told("broadcast_set")] == [1, 2]


def test_null_removes_a_broadcast(team: Team):
    team.call("set_broadcast", key="current", value=1)
    team.call("set_broadcast", key="current", value=None)

    assert team.call("get_broadcast")["broadcasts"] == []
    assert team.told("broadcast_set")[-1].payload == {"key": "current", "value": None}


def test_projects_have_their_own(team: Team):
    team.call("set_broadcast", key="current", value=1)

    assert team.call("get_broadcast", scope=Scope("tenant", "other"), key="current")["value"] is None
    assert team.call("get_broadcast", scope=Scope("other", "project"))["broadcasts"] == []


@pytest.mark.parametrize("key", ["k" * 256, "🚲" * 256, "#!% \x00"])
def test_any_text_of_256_characters_is_a_key(team: Team, key: str):
    team.call("set_broadcast", key=key, value=1)

    assert team.call("get_broadcast", key=key)["value"] == 1
    assert team.told("broadcast_set")[0].payload["key"] == key


def test_a_value_over_8_kb_is_refused(team: Team):
    assert "over 8192" in team.refused("set_broadcast", key="current", value="x" * 8192)
    assert team.call("set_broadcast", key="current", value="x" * 8190)["ok"] is True


def test_a_value_must_be_given(team: Team):
    assert '"value" is required' in team.refused("set_broadcast", key="current")
