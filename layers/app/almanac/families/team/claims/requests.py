"""Requests for claims, and their outcomes."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.content.redaction import SecretFinding
from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.core.records import ClaimQueueEntry, ClaimRecord
from almanac.kernel.events import Event
from almanac.platform.store.port import Change


class AcquiredClaim(Struct, frozen=True):
    """`key` is that of the claim as it was read. `deduped`: the holder had it already, and its deadline moved. `taken`:
    claims of others that it ended."""

    claim: ClaimRecord
    key: ClaimKey
    deduped: bool
    taken: Sequence[ClaimRecord] = ()


class PlannedClaim(Struct, frozen=True):
    """A claim, and the changes that acquire it. `occupied`: others may hold something below its path, so it has to be
    registered instead."""

    claim: ClaimRecord
    changes: Sequence[Change]
    occupied: bool = False


class BlockingClaim(Struct, frozen=True):
    """`claim` has the same key or one that overlaps. `place` is the caller's in the queue, `position` its number."""

    claim: ClaimRecord
    place: ClaimQueueEntry | None = None
    position: int = 0


class ClaimRequest(Struct, frozen=True):
    """`metadata` None keeps that of a refreshed claim. With a `reason` the claim is taken from whoever holds it.
    `findings` are what both lost of secrets."""

    key: str
    holder: str
    ttl_ms: int
    metadata: dict[str, object] | None = None
    reason: str | None = None
    findings: tuple[SecretFinding, ...] = ()


class QueuePlace(Struct, frozen=True):
    """A place in the queue to be granted: whether it `is_queued` still, and the changes and events to write with the
    claim."""

    is_queued: Callable[[], bool]
    effects: Callable[[ClaimRecord], tuple[Sequence[Change], Sequence[Event]]]


class PlaceGone(Exception):
    """The place to be granted is no longer in the queue."""


class Takeover(Struct, frozen=True):
    """A takeover of a claim from its holder, with the reason."""

    holder: str
    actor: str
    reason: str
