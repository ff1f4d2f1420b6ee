"""Kinds of knowledge events, for rules and listeners. Instants are milliseconds since 1970."""

from almanac.kernel.events import EventKind

FACT_RECORDED = "fact_recorded"
FACT_SUPERSEDED = "fact_superseded"
FACT_INVALIDATED = "fact_invalidated"
CONTRADICTION_FOUND = "contradiction_found"

_FACT = {
    "fact_id": "01KB0Z8T4Q6M3H8E2V5N7R9YXD",
    "subject": "Ann",
    "predicate": "works_at",
    "object": "Acme",
    "confidence": 1.0,
    "valid_from": 1795000000000,
    "valid_to": None,
}

KINDS = (
    EventKind(
        FACT_RECORDED,
        "A fact was recorded, or said again (deduped); superseded counts the older facts that it ended. Texts of over "
        "200 characters are cut.",
        {**_FACT, "deduped": False, "superseded": 0},
    ),
    EventKind(
        FACT_SUPERSEDED,
        "A newer fact about the same subject and predicate ended an older one.",
        {**_FACT, "valid_to": 1796000000000, "superseded_by": ["01KB0Z8T4Q6M3H8E2V5N7R9YXE"]},
    ),
    EventKind(
        FACT_INVALIDATED,
        "Somebody ended a fact, or took that back: undone is true, and it holds again. holds_again names up to 10 "
        "facts that it had ended.",
        {**_FACT, "valid_to": 1796000000000, "reason": "She left.", "undone": False, "holds_again": []},
    ),
    EventKind(
        CONTRADICTION_FOUND,
        "Two facts cannot both hold. Told once for each pair.",
        {
            "fact_a": "01KB0Z8T4Q6M3H8E2V5N7R9YXD",
            "fact_b": "01KB0Z8T4Q6M3H8E2V5N7R9YXE",
            "subject": "Ann",
            "predicate": "works_at",
            "severity": "high",
            "explanation": "Ann works_at has one object at a time, and Acme and Globex both hold from 2026-03-01 on.",
        },
    ),
)
