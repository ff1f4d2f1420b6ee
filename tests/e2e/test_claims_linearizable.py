"""Eight clients claim overlapping keys over HTTP at once. On the stack their calls run in as many Lambda workers, over
DynamoDB; on the laptop in one process, beside which tests/integration/team has two."""

import time
from secrets import token_hex

import pytest

from tests.e2e.target import TENANT, Target, eventually
from tests.integration.team.claim_clients import check, histories, over_http

CLIENTS, OPERATIONS = 8, 200


@pytest.fixture
def hub(team: Target, issuing_target: Target) -> tuple[str, str]:
    """The team's endpoint, with a key of a project in which no other test claims."""
    project = f"e2e-{token_hex(4)}"
    assert issuing_target.command_line is not None
    issuing_target.command_line("projects", "create", project, "--tenant", TENANT)
    return team.url, issuing_target.issue("--project", project)


def test_claims_of_keys_and_globs_are_linearizable_and_never_have_two_holders(hub: tuple[str, str]):
    history = histories([over_http(*hub) for _ in range(CLIENTS)], OPERATIONS)

    assert len(history) == CLIENTS * OPERATIONS
    check(history)


def test_a_glob_that_runs_out_is_free_then_and_not_before_and_its_holder_is_told(hub: tuple[str, str]):
    with over_http(*hub) as ask:
        expires_at = ask("claim", {"key": "src/*.py", "holder": "a", "ttl_ms": 5000})["claim"]["expires_at"]
        blocked = {"ok": False, "held_by": "a", "held_key": "src/*.py", "expires_at": expires_at}

        def take_claim() -> dict[str, object] | None:
            result = ask("claim", {"key": "file:src/x.py", "holder": "b", "ttl_ms": 5000})
            assert result["ok"] or blocked.items() <= result.items()
            return result["claim"] if result["ok"] else None

        claim = eventually(take_claim)
        assert expires_at <= claim["acquired_at"] <= time.time() * 1000
        told = ask("extend", {"key": "src/*.py", "holder": "a", "ttl_ms": 5000})
    assert told["reason"] == "not_held"
    assert [(notice["key"], notice["expired_at"]) for notice in told["notices"]] == [("src/*.py", expires_at)]
