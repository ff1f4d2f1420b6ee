"""Redactions, which record the secrets removed from an item before it was stored. Instants are milliseconds since 1970.

A redaction is about one write of one item. It expires after a year, independently of the item.

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
    """One removed secret. `path` is the field that contained it, e.g. `metadata.env[2]`.

    `prefix` has at most 4 first characters, if all tokens of the provider begin with them. It is empty for other
    secrets.
    """

    kind: str
    path: str = ""
    prefix: str = ""


class Redaction(VersionedRecord, frozen=True, kw_only=True):
    """Secrets removed from one write of an item.

    `item` is the item's id or name, and `where` its kind. `removed` has the first 50 secrets; `count` is the number of
    all. `reason` explains the status. `reviewer` is the actor who set it, None for the initial status. `tool` and
    `session` are those of a turn or memory.
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
