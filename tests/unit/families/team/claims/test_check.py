"""Which files a holder may commit, as a hook asks before it does."""

from datetime import timedelta
from typing import Any

import pytest

from almanac.families.team.claims.glob_register import MAX_GLOBS
from almanac.kernel.clock import FixedClock, thread_seconds
from tests.unit.families.team.teams import MINUTES, SECONDS, Team


def check(team: Team, *paths: str, **more: Any) -> dict[str, Any]:
    return team.call("check_claims", paths=list(paths), **more)


def reasons(answer: dict[str, Any]) -> dict[str, str]:
    return {one["path"]: one["reason"] for one in answer.get("refused", [])}


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("file:src/auth.py", "src/auth.py"),
        ("src/auth.py", "file:src/auth.py"),
        ("file:src/", "src/deep/auth.py"),
        ("file:src/**/*.py", "src/deep/auth.py"),
        ("file:**/*.{ts,tsx}", "web/app.tsx"),
        ("file:web/[slug].tsx", "web/[slug].tsx"),
        ("file:{{name}}/setup.py", "{{name}}/setup.py"),
        ("/home/ann/web/src/auth.py", "src/auth.py"),
        ("src/auth.py", "/home/ann/web/src/auth.py"),
        ("vendor/lib/a.c", "vendor/lib"),
        ("src/auth.py", "src/*.py"),
        ("file:Über uns.md", "U\u0308ber uns.md"),
        ("file:src/.", "src/x/README.md"),
    ],
)
def test_a_file_that_somebody_else_holds_is_refused(team: Team, key: str, path: str) -> None:
    claim = team.claim(key, "cli@ben", actor="ben")["claim"]
    assert check(team, path, "docs/other.txt") == {
        "ok": False,
        "checked": 2,
        "refused": [
            {
                "path": path,
                "reason": "wrong_holder",
                "held_key": claim["key"],
                "held_by": "cli@ben",
                "held_by_actor": "ben",
                "expires_at": claim["expires_at"],
                "untrusted": True,
            }
        ],
        "refused_count": 1,
    }
    assert check(team, path, holder="cli@ben", actor="ben") == {"ok": True, "checked": 1}


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("file:src/auth.py", "src/auth.pyc"),
        ("file:src/auth.py", "tests/src/auth.py"),
        ("file:src/*.py", "src/deep/auth.py"),
        ("file:src/", "src2/auth.py"),
        ("file:web/[slug].tsx", "web/slug.tsx"),
        ("story:src/auth.py", "src/auth.py"),
    ],
)
def test_what_nobody_holds_passes(team: Team, key: str, path: str) -> None:
    team.claim(key, "cli@ben", actor="ben")
    assert check(team, path, holder="cli@ann") == {"ok": True, "checked": 1}


def test_a_claim_that_ran_out_holds_nothing(team: Team, clock: FixedClock) -> None:
    team.claim("src/auth.py", "cli@ben", 10 * SECONDS, actor="ben")
    clock.instant += timedelta(milliseconds=11 * SECONDS)
    assert check(team, "src/auth.py")["ok"]


def test_a_token_has_to_be_that_of_a_claim_that_is_held(team: Team, clock: FixedClock) -> None:
    first = team.claim("src/auth.py", "h", 10 * SECONDS)["claim"]["token"]
    assert check(team, "src/auth.py", "README.md", holder="h", token=first)["ok"]
    clock.instant += timedelta(milliseconds=11 * SECONDS)
    assert reasons(check(team, "src/auth.py", holder="h", token=first)) == {"src/auth.py": "not_held"}
    team.claim("src/auth.py", "cli@ben", actor="ben")
    assert reasons(check(team, "src/auth.py", holder="h", token=first)) == {"src/auth.py": "wrong_holder"}
    team.call("release", key="src/auth.py", holder="cli@ben", actor="ben")
    assert reasons(check(team, "src/auth.py", holder="h", token=first)) == {"src/auth.py": "not_held"}
    second = team.claim("src/auth.py", "h")["claim"]["token"]
    assert reasons(check(team, "src/auth.py", holder="h", token=first)) == {"src/auth.py": "stale_token"}
    assert check(team, "src/auth.py", holder="h", token=second)["ok"]


def test_one_token_speaks_for_all_claims_of_its_holder(team: Team, clock: FixedClock) -> None:
    one = team.claim("src/a.py", "h", 5 * MINUTES)["claim"]["token"]
    clock.instant += timedelta(milliseconds=SECONDS)
    other = team.claim("src/b.py", "h", 5 * MINUTES)["claim"]["token"]
    assert all(check(team, "src/a.py", "src/b.py", holder="h", token=each)["ok"] for each in (one, other))
    assert reasons(check(team, "src/a.py", holder="h", token=other)) == {"src/a.py": "stale_token"}


def test_another_key_needs_the_token_of_a_claim_under_the_same_holder(team: Team) -> None:
    token = team.claim("src/a.py", "h", actor="ben")["claim"]["token"]
    assert reasons(check(team, "src/a.py", holder="h")) == {"src/a.py": "wrong_actor"}
    assert reasons(check(team, "src/a.py", holder="h", token=token - 1)) == {"src/a.py": "wrong_actor"}
    assert check(team, "src/a.py", holder="h", token=token)["ok"]


def test_paths_are_read_as_the_project_spells_them(team: Team) -> None:
    team.claim("src/Auth.py", "h", actor="ben")
    team.call("configure_project", root="/home/ann/web", case_insensitive=True)
    assert not check(team, "SRC/auth.py")["ok"]
    assert not check(team, "/home/ann/web/src/auth.py")["ok"]
    assert check(team, "/home/ann/other/auth2.py")["ok"]


def test_many_refusals_are_counted_and_the_first_told(team: Team) -> None:
    team.claim("src/", "cli@ben", actor="ben")
    answer = check(team, *(f"src/{number}.py" for number in range(100)))
    assert (answer["checked"], answer["refused_count"], len(answer["refused"])) == (100, 100, 50)
    assert "path" in team.refusal("check_claims", paths=["/"])


def test_many_files_and_globs_are_compared_in_bounded_time(team: Team) -> None:
    for number in range(MAX_GLOBS - 1):
        team.claim(f"file:**/part{number}/*.py", "cli@ben", actor="ben")
    began = thread_seconds()
    assert check(team, *(f"src/deep/part_{number}/file.py" for number in range(100)))["ok"]
    assert thread_seconds() - began < 2
