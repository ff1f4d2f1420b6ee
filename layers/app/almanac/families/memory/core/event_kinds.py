"""Kinds of memory events, for rules and listeners. Instants are milliseconds since 1970.

A change to a memory that the tenant's projects share is also announced in the caller's own project, with `shared` true.
"""

from almanac.kernel.events import EventKind

TURN_RECORDED = "turn_recorded"
MEMORY_PINNED = "memory_pinned"
MEMORY_FORGOTTEN = "memory_forgotten"
MEMORY_RESTORED = "memory_restored"
MEMORY_SUPERSEDED = "memory_superseded"
CONSOLIDATION_COMPLETED = "consolidation_completed"
CANDIDATE_WAITING = "candidate_waiting"
MEMORY_PURGED = "memory_purged"
"""Internal to memory's reactions: a turn or memory was deleted for good, so the records about it must go too."""

_HIDDEN = {
    "memory_id": "01KB0Z8T4Q6M3H8E2V5N7R9YXA",
    "kind": "pinned",
    "session_id": "7f3a",
    "tags": ["deploy"],
    "tool": "claude-code",
}
_MEMORY = {**_HIDDEN, "content_preview": "Deploys happen on Tuesdays", "metadata": {"team": "platform"}}

_OF_SHARED = ("shared",)

KINDS = (
    EventKind(
        TURN_RECORDED,
        "A turn was recorded. metadata and tags are left out where they take over 4 KB.",
        {
            "turn_id": "01KB0Z8T4Q6M3H8E2V5N7R9YXB",
            "role": "user",
            "session_id": "7f3a",
            "content_preview": "The build fails with TS2345",
            "tags": ["build"],
            "metadata": {"kind": "error"},
            "tool": "claude-code",
            "speaker": "Ann",
            "at": 1795000000000,
        },
    ),
    EventKind(MEMORY_PINNED, "A memory was pinned, or a fact promoted: kind pinned or semantic.", _MEMORY, _OF_SHARED),
    EventKind(
        MEMORY_FORGOTTEN,
        "A turn or memory was forgotten, or its time was over. Its text is no longer shown.",
        _HIDDEN,
        _OF_SHARED,
    ),
    EventKind(
        MEMORY_SUPERSEDED,
        "Something newer holds in place of a memory, which leaves search and lists.",
        {**_HIDDEN, "superseded_by": "01KB0Z8T4Q6M3H8E2V5N7R9YXD"},
        _OF_SHARED,
    ),
    EventKind(MEMORY_RESTORED, "A turn or memory that was forgotten is remembered again.", _MEMORY, _OF_SHARED),
    EventKind(
        CONSOLIDATION_COMPLETED,
        "Turns of a session were summarised, or summaries merged into a reflection.",
        {
            "memory_id": "01KB0Z8T4Q6M3H8E2V5N7R9YXC",
            "kind": "consolidated",
            "session_id": "7f3a",
            "turns_compressed": 20,
            "from_at": 1795000000000,
            "to_at": 1795000900000,
            "near_duplicates": [],
        },
        _OF_SHARED,
    ),
    EventKind(
        CANDIDATE_WAITING,
        "A candidate waits for a review, the first since none did: list_candidates shows it, review_candidate decides.",
        {
            "candidate_id": "01KB0Z8T4Q6M3H8E2V5N7R9YXF",
            "kind": "decision",
            "turn_id": "01KB0Z8T4Q6M3H8E2V5N7R9YXB",
            "session_id": "7f3a",
            "tool": "claude-code",
        },
    ),
)
