"""Redactions: what was taken out of an item before it was stored. Instants are milliseconds since 1970.

A row is about one write of one item and ends after a year, whatever becomes of the item.

    P#<tenant>#<project>#redactions   <id>   Redaction
"""

from typing import Literal

from msgspec import Struct

from almanac.platform.store.records import Place, Table, VersionedRecord

Status = Literal["flagged", "escalated", "dismissed", "confirmed"]
Where = Literal[
    "turn",
    "memory",
    "candidate",
    "fact",
    "note",
    "journal",
    "card",
    "event",
    "booking",
    "broadcast",
    "review",
    "message",
    "claim",
    "rule",
    "presence",
    "code",
    "edge",
    "skill",
]

KEPT_MS = 365 * 86_400_000


class RemovedSecret(Struct, frozen=True, omit_defaults=True):
    """One secret that is gone: its kind, the field where it stood, e.g. `metadata.env[2]`, and the at most 4 first
    characters that all of its provider's tokens have, empty for others."""

    kind: str
    path: str = ""
    prefix: str = ""


class Redaction(VersionedRecord, frozen=True, kw_only=True):
    """Secrets removed from one write of `item`, its id or its name; `where` is what kind of item it is.

    `removed` has the first 50 secrets; `count` is the number of all. `reason` explains the status. `reviewer` is who
    set it, None for the rule that sets the first one. `tool` and `session` are those of a turn or memory.
    """

    id: str
    item: str
    where: Where
    at: int
    expires_at: int
    actor: str
    removed: tuple[RemovedSecret, ...]
    count: int
    status: Status
    reason: str
    tool: str | None = None
    session: str | None = None
    reviewer: str | None = None
    reviewed_at: int | None = None


REDACTIONS = Table(
    Redaction,
    "redactions",
    sort=("id",),
    indexes={"gsi1": Place("redactions_by_status", partition=("status",), sort=("at", "id"))},
    expires="expires_at",
)
