"""Families that own each kind of data. A key only reads, changes or triggers data that one of its families owns.

turns, sessions, candidates, entities           memory
memories, of all layers                         memory, context
facts, and the edges between things             knowledge
events and tasks in calendars, bookings         calendar, planner
cards, notes, the journal, links                planner
files and symbols of repositories               code
skills                                          skills
claims, presence, broadcasts, reviews, rules    team
messages                                        team
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

Data = Literal[
    "turns", "memories", "facts", "events", "cards", "notes", "journal", "code", "skills", "teamwork", "messages"
]

OWNERS: Mapping[Data, tuple[str, ...]] = {
    "turns": ("memory",),
    "memories": ("memory", "context"),
    "facts": ("knowledge",),
    "events": ("calendar", "planner"),
    "cards": ("planner",),
    "notes": ("planner",),
    "journal": ("planner",),
    "code": ("code",),
    "skills": ("skills",),
    "teamwork": ("team",),
    "messages": ("team",),
}

_ITEMS: tuple[str, ...] = ("created", "updated", "moved", "deleted", "linked", "unlinked")

EVENTS: Mapping[str, tuple[str, ...]] = {
    "turn_recorded": OWNERS["turns"],
    "memory_pinned": OWNERS["memories"],
    "memory_forgotten": OWNERS["turns"],
    "memory_restored": OWNERS["turns"],
    "memory_superseded": OWNERS["memories"],
    "consolidation_completed": OWNERS["turns"],
    "candidate_waiting": OWNERS["turns"],
    "fact_recorded": OWNERS["facts"],
    "fact_superseded": OWNERS["facts"],
    "fact_invalidated": OWNERS["facts"],
    "contradiction_found": OWNERS["facts"],
    "skill_installed": OWNERS["skills"],
    "skill_removed": OWNERS["skills"],
    "broadcast_set": OWNERS["teamwork"],
    "presence_updated": OWNERS["teamwork"],
    "claim_acquired": OWNERS["teamwork"],
    "claim_released": OWNERS["teamwork"],
    "claim_expired": OWNERS["teamwork"],
    "claim_taken": OWNERS["teamwork"],
    "claim_granted": OWNERS["teamwork"],
    "handover_offered": OWNERS["teamwork"],
    "handover_accepted": OWNERS["teamwork"],
    "handover_declined": OWNERS["teamwork"],
    "handover_withdrawn": OWNERS["teamwork"],
    "handover_lapsed": OWNERS["teamwork"],
    "review_requested": OWNERS["teamwork"],
    "review_completed": OWNERS["teamwork"],
    "review_lapsed": OWNERS["teamwork"],
    "schedule_due": OWNERS["teamwork"],
    "message_sent": OWNERS["messages"],
    "message_acknowledged": OWNERS["messages"],
    "message_unacknowledged": OWNERS["messages"],
    "slot_booked": OWNERS["events"],
    "booking_rescheduled": OWNERS["events"],
    "booking_updated": OWNERS["events"],
    "booking_cancelled": OWNERS["events"],
    **{f"item_{what}": OWNERS["cards"] for what in _ITEMS},
}
"""Kinds of events that rules and listeners may receive, each with the families that own the data in the event."""

ACTIONS: Mapping[str, Data] = {
    "record_turn": "turns",
    "pin_memory": "memories",
    "set_broadcast": "teamwork",
    "send_message": "messages",
}
"""Actions of rules, each with the kind of data that it writes."""


Families = Collection[str] | None
"""Names of the families that a key may use. None means all."""


def may_see(families: Families, data: Data) -> bool:
    return _has_one(families, OWNERS[data])


def visible_event_kinds(families: Families) -> frozenset[str]:
    """Return the kinds of events that a key for these families may receive."""
    return frozenset(kind for kind, owners in EVENTS.items() if _has_one(families, owners))


def left_out_by_key(families: Families, data: Iterable[Data]) -> tuple[str, ...]:
    """Return a note for the answer if the key may not see some of the requested `data`; an empty tuple otherwise."""
    missing = [f"{kind} ({' or '.join(OWNERS[kind])})" for kind in dict.fromkeys(data) if not may_see(families, kind)]
    return (f"Left out because of the API key, which lacks the family: {', '.join(missing)}.",) if missing else ()


def _has_one(families: Families, owners: Sequence[str]) -> bool:
    return families is None or any(owner in families for owner in owners)
