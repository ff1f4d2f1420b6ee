"""The rules that come with Almanac, ready to be installed."""

from typing import Any

DEFAULT_RULES: tuple[dict[str, Any], ...] = (
    {
        "name": "error-pin",
        "description": "Pins a memory for every turn that was recorded as an error.",
        "on_kind": "turn_recorded",
        "where": {"payload.metadata.kind": "error"},
        "actions": [
            {
                "tool": "pin_memory",
                "args": {
                    "content": "Error recorded by ${event.actor}: ${payload.content_preview}",
                    "tags": ["error"],
                    "derived_from_turn_ids": ["${payload.turn_id}"],
                },
            }
        ],
        "enabled": True,
    },
    {
        "name": "claim-watchdog",
        "description": "Tells everybody which claim ran out last without having been released.",
        "on_kind": "claim_expired",
        "where": None,
        "actions": [
            {
                "tool": "set_broadcast",
                "args": {
                    "key": "last_abandoned_claim",
                    "value": {
                        "key": "${payload.key}",
                        "holder": "${payload.holder}",
                        "expired_at": "${payload.expires_at}",
                    },
                },
            }
        ],
        "enabled": True,
    },
    {
        "name": "review-router",
        "description": "Tells reviewers of the latest turn that was tagged as needing a review.",
        "on_kind": "turn_recorded",
        "where": {"payload.metadata.tag": "needs_review"},
        "actions": [
            {
                "tool": "set_broadcast",
                "args": {
                    "key": "review_queue:latest",
                    "value": {
                        "actor": "${event.actor}",
                        "turn_id": "${payload.turn_id}",
                        "preview": "${payload.content_preview}",
                    },
                },
            }
        ],
        "enabled": True,
    },
    {
        "name": "mail-escalation",
        "description": "Writes to the role lead and the sender when nobody acknowledged a message in time.",
        "on_kind": "message_unacknowledged",
        "where": None,
        "actions": [
            {
                "tool": "send_message",
                "args": {
                    "to": ["role:lead", "${payload.from}"],
                    "subject": "Not acknowledged: ${payload.subject}",
                    "body": "${payload.from} waits for: ${payload.waiting_for}.",
                    "thread": "${payload.thread}",
                    "priority": "high",
                },
            }
        ],
        "enabled": True,
    },
    {
        "name": "review-escalation",
        "description": "Writes to the role lead and the requester when nobody decided a review before its deadline.",
        "on_kind": "review_lapsed",
        "where": None,
        "actions": [
            {
                "tool": "send_message",
                "args": {
                    "to": ["role:lead", "${payload.requester}"],
                    "subject": "No decision: ${payload.subject}",
                    "body": "Review ${payload.review_id} waits for: ${payload.reviewers}. mark_reviewed decides it.",
                    "priority": "high",
                },
            }
        ],
        "enabled": True,
    },
)
