"""The kinds of events of a team, for rules and listeners. Instants are milliseconds since 1970."""

from almanac.kernel.events import EventKind

_CLAIM = {
    "key": "file:src/auth.py",
    "holder": "claude-code@ann#7f3a",
    "actor": "ann@example.com",
    "token": 1795000000000,
    "acquired_at": 1795000000000,
    "expires_at": 1795000900000,
    "metadata": {"story": "JIRA-123"},
}
_REVIEW = {
    "review_id": "01936f2c-0000-7000-8000-000000000000",
    "subject": "Merge the login page",
    "requester": "ann@example.com",
    "claim_key": "file:src/auth.py",
    "reviewers": ["bob@example.com"],
    "metadata": {"pull_request": 7},
    "deadline_at": 1795086400000,
}
_MESSAGE = {
    "message_id": "01936f2c-0000-7000-8000-000000000000",
    "thread": "01936f2c-0000-7000-8000-000000000000",
    "from": "ann@example.com",
    "to": ["bob@example.com", "role:reviewer"],
    "subject": "The login page is ready",
    "priority": "normal",
}
_HANDOVER = {
    "handover_id": "01936f2c-0000-7000-8000-000000000000",
    "from": "ann@example.com",
    "to": "bob@example.com",
    "card": "card_01j8z5",
    "claims": ["card:card_01j8z5", "file:src/auth.py"],
    "note_preview": "The login page works",
    "answer_by": 1795003600000,
}

SCHEDULE_DUE = "schedule_due"
"""The kind of event that triggers a rule with a schedule."""

KINDS = (
    EventKind(
        "broadcast_set",
        "A broadcast was set; value null: removed.",
        {"key": "active_sprint", "value": "2026-W48", "expires_at": 1795086400000},
    ),
    EventKind(
        "presence_updated",
        "A heartbeat: often every 30 seconds for each session, so narrow it with where.",
        {
            "actor": "ann@example.com",
            "session": "7f3a",
            "seen_at": 1795000000000,
            "display_name": "Ann",
            "tool": "claude-code",
            "current_file": "src/auth.py",
            "current_function": "login",
            "current_action": "editing",
        },
    ),
    EventKind("claim_acquired", "A key was claimed; refreshing and extending tell nothing.", _CLAIM),
    EventKind("claim_released", "A claim was given back.", {**_CLAIM, "released_at": 1795000300000}),
    EventKind("claim_expired", "A claim ran out without having been released.", _CLAIM),
    EventKind(
        "claim_taken",
        "A claim was ended by force by somebody else; event.actor is who did it.",
        {
            **_CLAIM,
            "taken_by": "cursor@bob#1",
            "taken_by_actor": "bob@example.com",
            "reason": "Ann is on holiday",
            "taken_at": 1795000300000,
        },
    ),
    EventKind("claim_granted", "Whoever stood in line for a key has it now.", {**_CLAIM, "queued_at": 1795000000000}),
    EventKind("handover_offered", "Somebody handed work over to an actor, who has yet to answer.", _HANDOVER),
    EventKind("handover_accepted", "The receiver accepted it, and holds the claims.", _HANDOVER),
    EventKind("handover_declined", "The receiver declined it; the giver has the claims again.", _HANDOVER),
    EventKind("handover_withdrawn", "The giver took it back before an answer.", _HANDOVER),
    EventKind("handover_lapsed", "Nobody answered in time; the giver has the claims again.", _HANDOVER),
    EventKind("review_requested", "Somebody asked for a decision.", _REVIEW),
    EventKind(
        "review_completed",
        "A review was decided.",
        {
            "review_id": "01936f2c-0000-7000-8000-000000000000",
            "subject": "Merge the login page",
            "requester": "ann@example.com",
            "claim_key": "file:src/auth.py",
            "decision": "approved",
            "decided_by": "bob@example.com",
            "self_reviewed": False,
            "comment_preview": "Looks good",
        },
    ),
    EventKind("review_lapsed", "Nobody decided a review before its deadline.", _REVIEW),
    EventKind(
        "message_sent",
        "A message was sent.",
        {**_MESSAGE, "preview": "Please look at", "ack_required": True, "about": ["file:src/login.py"]},
    ),
    EventKind("message_acknowledged", "Mail was acknowledged.", {**_MESSAGE, "acknowledged_by": "bob@example.com"}),
    EventKind(
        "message_unacknowledged",
        "A message that asks for it was not acknowledged in time; announced once.",
        {**_MESSAGE, "waiting_for": ["bob@example.com"]},
    ),
    EventKind(
        SCHEDULE_DUE,
        "The time of a rule's on_schedule has come. After an outage one stands for all that were missed.",
        {"rule": "standup", "due_at": 1795420800000, "local": "2026-11-23T09:00:00+01:00", "timezone": "Europe/Berlin"},
    ),
)
