"""The model that histories are held against takes what may be, and refuses what may not."""

from typing import Any

import pytest

from tests.contract.linearizability import Operation, is_linearizable
from tests.integration.team.claim_clients import ClaimAnswer, ClaimCall, State, Verb, double_holders, step

GONE = {"ok": False, "reason": "not_held"}


def took(key: str, holder: str, at: int, until: int, *, deduped: bool = False) -> dict[str, Any]:
    claim = {"key": key, "holder": holder, "acquired_at": at, "expires_at": until}
    return {"ok": True, "claim": claim, "deduped": deduped}


def claim_refusal(key: str, holder: str, until: int) -> dict[str, Any]:
    return {"ok": False, "held_by": holder, "held_key": key, "expires_at": until}


def history(*rows: tuple[int, int, Verb, str, str, dict[str, Any]]) -> list[Operation]:
    """Return a history of (began, ended, verb, key, holder, result), in milliseconds."""
    return [
        Operation(began, ended, ClaimCall(verb, key, holder), ClaimAnswer(began, ended, result))
        for began, ended, verb, key, holder, result in rows
    ]


def is_explained(operations: list[Operation]) -> bool:
    nothing: State = frozenset()
    return is_linearizable(operations, nothing, step)


@pytest.mark.parametrize(
    "operations",
    [
        history(
            (0, 3, "claim", "src/*.py", "a", took("src/*.py", "a", 2, 5002)),
            (1, 4, "claim", "src/a*", "b", claim_refusal("src/*.py", "a", 5002)),
            (5, 6, "release", "src/*.py", "a", {"ok": True}),
            (7, 8, "claim", "src/a*", "b", took("src/a*", "b", 7, 5007)),
        ),
        history(
            (0, 1, "claim", "k", "a", took("k", "a", 1, 5001)),
            (5000, 5002, "claim", "k", "b", took("k", "b", 5001, 10_001)),
            (
                5003,
                5004,
                "extend",
                "k",
                "a",
                {"ok": False, "reason": "wrong_holder", "held_by": "b", "expires_at": 10_001},
            ),
        ),
        history(
            (0, 1, "claim", "k", "a", took("k", "a", 1, 5001)),
            (10, 11, "claim", "k", "a", took("k", "a", 1, 5010, deduped=True)),
            (6000, 6001, "release", "k", "a", GONE),
        ),
    ],
)
def test_what_may_be_is_taken(operations: list[Operation]):
    assert is_explained(operations)
    assert not double_holders(operations)


@pytest.mark.parametrize(
    "operations",
    [
        history(
            (0, 1, "claim", "src/*.py", "a", took("src/*.py", "a", 1, 5001)),
            (2, 3, "claim", "src/a*", "b", took("src/a*", "b", 2, 5002)),
        ),
        history(
            (0, 1, "claim", "k", "a", took("k", "a", 1, 5001)),
            (4999, 5000, "claim", "k", "b", took("k", "b", 5000, 10_000)),
        ),
    ],
    ids=["two holders of what overlaps", "a millisecond too early"],
)
def test_two_holders_are_found(operations: list[Operation]):
    assert not is_explained(operations)
    assert double_holders(operations)


@pytest.mark.parametrize(
    "operations",
    [
        history((0, 1, "claim", "k", "b", claim_refusal("k", "a", 5000))),
        history((0, 1, "claim", "k", "a", took("k", "a", 1, 5001)), (2, 3, "release", "k", "a", GONE)),
        history((0, 1, "release", "k", "a", {"ok": True})),
        history(
            (0, 1, "claim", "k", "a", took("k", "a", 1, 5001)),
            (6000, 6001, "extend", "k", "a", {"ok": True, "expires_at": 11_000}),
        ),
        history((0, 1, "claim", "k", "a", took("k", "a", 1, 5001)), (2, 3, "list_claims", "k", "b", {"claims": []})),
    ],
    ids=["refused for nobody", "lost early", "released nothing", "extended too late", "not listed"],
)
def test_what_may_not_be_is_refused(operations: list[Operation]):
    assert not is_explained(operations)
