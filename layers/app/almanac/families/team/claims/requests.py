"""Requests for claims, and their outcomes."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.content.redaction import SecretFinding
from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.core.records import ClaimQueueEntry, ClaimRecord
from almanac.kernel.events import Event
from almanac.platform.store.port import Change


class AcquiredClaim(Struct, frozen=True):
    """An acquired claim and its parsed `key`. With `deduped` the holder had the claim already and only its deadline
    moved. `taken` are claims of other holders that the takeover ended."""

    claim: ClaimRecord
    key: ClaimKey
    deduped: bool
    taken: Sequence[ClaimRecord] = ()


class PlannedClaim(Struct, frozen=True):
    """A claim and the changes that acquire it. With `occupied`, claims may exist below its path, so the claim must be
    registered instead."""

    claim: ClaimRecord
    changes: Sequence[Change]
    occupied: bool = False


class BlockingClaim(Struct, frozen=True):
    """A claim of the same key or of an overlapping one. `place` and `position` are the caller's in the queue, if it
    waits."""

    claim: ClaimRecord
    place: ClaimQueueEntry | None = None
    position: int = 0


class ClaimRequest(Struct, frozen=True):
    """A request for a claim. `metadata` None keeps the metadata of a refreshed claim. A `reason` takes the claim from
    its current holder. `findings` lists the secrets removed from both."""

    key: str
    holder: str
    ttl_ms: int
    metadata: dict[str, object] | None = None
    reason: str | None = None
    findings: tuple[SecretFinding, ...] = ()


class QueuePlace(Struct, frozen=True):
    """A queue place to be granted. `is_queued` tells whether it is still queued; `effects` returns the changes and
    events to write with the claim."""

    is_queued: Callable[[], bool]
    effects: Callable[[ClaimRecord], tuple[Sequence[Change], Sequence[Event]]]


class PlaceGone(Exception):
    """The place to be granted is no longer in the queue."""


class Takeover(Struct, frozen=True):
    """A takeover of a claim from its holder, with the reason."""

    holder: str
    actor: str
    reason: str
