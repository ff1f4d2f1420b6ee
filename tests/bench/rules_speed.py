"""How long rules take to look at an event: microseconds per event, and what part the patterns have.

    .venv/bin/python tests/bench/rules_speed.py

Fails where ten predicates take over 20 µs.
"""

import sys
from typing import Any

from call_times import microseconds

from almanac.families.team.rules.paths import document
from almanac.families.team.rules.predicates import compile_predicate
from almanac.kernel.events import Event

LIMIT_US = 20.0

EVENT = Event(
    id="01J00000000000000000000000",
    kind="turn_recorded",
    tenant="acme",
    project="main",
    key="turn/01J00000000000000000000000",
    at=1_795_000_000_000,
    actor="ann@example.com",
    payload={
        "turn_id": "01J00000000000000000000000",
        "role": "assistant",
        "tool": "claude-code",
        "session_id": "s-1",
        "content_preview": "The request to the payment service timed out after 30 s and was not repeated.",
        "size": 4711,
        "metadata": {"kind": "error", "tags": ["payments", "slow"], "retries": 3, "host": {"name": "a1", "zone": "eu"}},
    },
)

# All of them hold, so that each is asked to its end.
TEN: dict[str, dict[str, Any]] = {
    "equality": {"payload.metadata.kind": "error"},
    "two of one path": {"payload.metadata.retries": {"$gte": 3, "$lt": 10}},
    "membership": {"payload.role": {"$in": ["assistant", "tool", "system"]}},
    "no membership": {"payload.tool": {"$nin": ["cursor", "cli/observe"]}},
    "a list's entry": {"payload.metadata.tags": "slow"},
    "a deep path": {"payload.metadata.host.zone": "eu"},
    "absence": {"payload.metadata.resolved": {"$exists": False}},
    "a pattern": {"payload.content_preview": {"$matches": r"(?i)time(d )?out"}},
    "alternatives": {"$or": [{"event.actor": "bob@example.com"}, {"payload.size": {"$gt": 4096}}]},
    "a negation": {"$not": {"payload.session_id": {"$matches": "^test-"}}},
}


def main() -> int:
    found = document(EVENT)
    predicates = {name: compile_predicate(where) for name, where in TEN.items()}
    for name, holds in predicates.items():
        assert holds(found), name
        taken = microseconds(lambda holds=holds: [holds(found) for _ in range(100)]) / 100
        print(f"{name:<16} {taken:6.2f} us")
    every = list(predicates.values())
    ten = microseconds(lambda: [holds(found) for holds in every], calls=5000)
    joined = compile_predicate({"$and": list(TEN.values())})
    one = microseconds(lambda: joined(found), calls=5000)
    print(f"ten rules        {ten:6.2f} us, limit {LIMIT_US:g}")
    print(f"one rule of ten  {one:6.2f} us, limit {LIMIT_US:g}")
    return 0 if max(ten, one) <= LIMIT_US else 1


if __name__ == "__main__":
    sys.exit(main())
