"""The change table of a store on one machine, with the outbox items of all writes in their order.

On DynamoDB the table's stream takes its place.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from almanac.platform.store.values import Value


class StoreChange(Struct, frozen=True):
    """A written outbox item. Sequences grow with every change and are never reused."""

    sequence: int
    attributes: dict[str, Value]


class Changes(Protocol):
    """Log of changes in a store. Every method raises Unavailable when the store does not answer."""

    def read(self, after: int, limit: int) -> Sequence[StoreChange]:
        """Return up to `limit` changes with a sequence above `after`, lowest first; fewer if they are large."""
        ...

    def head(self) -> int:
        """Return the sequence of the last change that was ever written, 0 before the first."""
        ...

    def trim(self, through: int) -> None:
        """Delete the changes up to and including `through`."""
        ...
