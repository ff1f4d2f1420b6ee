"""Test the claims that cover a key which a write requires."""

from datetime import timedelta

import pytest

from almanac.families.team.claims.requirement import CoveredKey, Requirement, UncoveredKey, require
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, ConditionFailed, Put
from tests.unit.families.team.teams import SCOPE, Team

HOLDER = "cli@ann#1"
WRITTEN: Change = Put(Key(Partition.in_project(SCOPE, "things"), "thing"), {})


def try_require(team: Team, key: str, holder: str | None = None, token: int | None = None, actor: str = "ann"):
    return require(team.project(actor), Requirement(key, holder, token))


def reason_of(team: Team, key: str, holder: str | None = None, token: int | None = None, actor: str = "ann") -> str:
    found = try_require(team, key, holder, token, actor)
    return found.reason if isinstance(found, UncoveredKey) else "covered"


@pytest.mark.parametrize(
    ("held", "key"),
    [
        ("story:JIRA-1", "story:JIRA-1"),
        ("src/a.py", "file:./src//a.py"),
        ("file:src/", "src/deep/er/a.py"),
        ("src", "src/"),
        ("src", "src/*.ts"),
        ("src/**", "src/deep/a.py"),
        ("src/**", "src"),
        ("src/**", "src/**/*.ts"),
        ("src/*.py", "src/a.py"),
        ("src/*.py", "src/*.py"),
        ("{src,tests}/**/*.py", "tests/unit/a.py"),
        (".", "anything/at/all"),
        (".", "src/*.py"),
        ("branch:release/*", "branch:release/7"),
        ("src/[slug].tsx", "src/[slug].tsx"),
    ],
)
def test_a_claim_covers_what_it_means(team: Team, held: str, key: str):
    token = team.claim(held, HOLDER)["claim"]["token"]

    found = try_require(team, key)

    assert isinstance(found, CoveredKey)
    assert (found.claim.holder, found.claim.token) == (HOLDER, token)


@pytest.mark.parametrize(
    ("held", "key"),
    [
        ("src/a.py", "src"),
        ("src/a.py", "src/b.py"),
        ("src/a.py", "src/*.py"),
        ("src/*.py", "src"),
        ("src/*.py", "src/*"),
        ("src/*.py", "src/deep/a.py"),
        ("src/a/*", "src/a"),
        ("src/**", "source"),
        ("story:1", "ticket:1"),
        ("branch:release/7", "branch:release/*"),
    ],
)
def test_a_claim_that_only_overlaps_does_not_cover(team: Team, held: str, key: str):
    team.claim(held, HOLDER)

    assert reason_of(team, key) == "not_held"


def test_a_claim_below_which_others_claim_too_is_found(team: Team):
    team.claim("src/a/b.py", HOLDER)
    team.claim("src/a", HOLDER)

    assert reason_of(team, "src/a/c.py") == reason_of(team, "src/a/b.py") == "covered"
    assert reason_of(team, "src") == "not_held"


def test_keys_are_read_by_the_settings_of_the_project(team: Team):
    team.call("configure_project", root="/home/ann/web", case_insensitive=True)
    team.claim("SRC/A.py", HOLDER)

    assert reason_of(team, "/home/ann/web/src/a.py") == "covered"


def test_it_is_over_with_its_time_with_release_and_in_other_projects(team: Team, clock: FixedClock):
    team.claim("story:1", HOLDER, 60_000)
    team.claim("story:2", HOLDER, 60_000)
    other = require(team.project(scope=Scope("tenant", "other")), Requirement("story:1"))
    team.release("story:1", HOLDER)

    assert other == UncoveredKey("not_held")
    assert reason_of(team, "story:1") == "not_held"
    clock.instant += timedelta(seconds=60)
    assert reason_of(team, "story:2") == "not_held"


def test_it_must_be_of_the_holder_or_where_none_is_named_of_the_caller(team: Team):
    team.claim("story:1", HOLDER, actor="ann")

    assert reason_of(team, "story:1", actor="ann") == "covered"
    assert reason_of(team, "story:1", HOLDER, actor="bob") == "covered"
    assert reason_of(team, "story:1", actor="bob") == "wrong_holder"
    refused = try_require(team, "story:1", "cli@bob#2")
    assert isinstance(refused, UncoveredKey)
    assert refused.claim is not None
    assert (refused.reason, refused.claim.holder) == ("wrong_holder", HOLDER)


def test_a_token_must_be_that_of_the_claim(team: Team):
    former = team.claim("story:1", HOLDER)["claim"]["token"]
    team.release("story:1", HOLDER)
    token = team.claim("story:1", HOLDER)["claim"]["token"]

    assert reason_of(team, "story:1", token=former) == "stale_token"
    assert reason_of(team, "story:1", HOLDER, token) == "covered"


def test_of_several_claims_that_cover_a_key_the_one_with_the_token_counts(team: Team):
    file = team.claim("src/a.py", HOLDER)["claim"]["token"]
    folder = team.claim("src", HOLDER)["claim"]["token"]

    found = [try_require(team, "src/a.py", token=token) for token in (file, folder)]

    assert [one.claim.token for one in found if isinstance(one, CoveredKey)] == [file, folder]


def test_the_condition_holds_while_it_is_extended_and_fails_once_it_ended(team: Team):
    team.claim("story:1", HOLDER)
    found = try_require(team, "story:1")
    assert isinstance(found, CoveredKey)

    team.extend("story:1", HOLDER)
    team.store.write([WRITTEN, found.condition])
    team.release("story:1", HOLDER)
    with pytest.raises(ConditionFailed):
        team.store.write([WRITTEN, found.condition])
    team.claim("story:1", HOLDER)
    with pytest.raises(ConditionFailed):
        team.store.write([WRITTEN, found.condition])
