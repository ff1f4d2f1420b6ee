"""What is asked of claims, and what comes of it."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.families.team.core.records import ClaimRecord, Waiting
from almanac.kernel.events import Event
from almanac.platform.store.port import Change


class Acquired(Struct, frozen=True):
    """`deduped`: the holder held it already, and holds it longer now. `taken` are the claims of others that were ended
    for it."""

    claim: ClaimRecord
    deduped: bool
    taken: Sequence[ClaimRecord] = ()


class Blocked(Struct, frozen=True):
    """`claim` stands in the way: the key itself, or one that overlaps with it. `place` is the caller's in line, and
    `position` the number of it."""

    claim: ClaimRecord
    place: Waiting | None = None
    position: int = 0


class Wanted(Struct, frozen=True):
    """What is asked for. `metadata` None leaves what a claim that is refreshed has. `reason` is why it is to be had
    even if somebody else holds it; None waits for them."""

    key: str
    holder: str
    ttl_ms: int
    metadata: dict[str, object] | None = None
    reason: str | None = None


class Place(Struct, frozen=True):
    """A place in line that is to be granted: whether it still `stands`, and what is
    written and told `along` with the claim."""

    stands: Callable[[], bool]
    along: Callable[[ClaimRecord], tuple[Sequence[Change], Sequence[Event]]]


class Gone(Exception):
    """A place that was to be granted no longer stands."""
