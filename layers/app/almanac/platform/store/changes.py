"""The change table of a store on one machine: what the events of its writes became, in the order of the writes.

On DynamoDB the table's stream takes this place.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from almanac.platform.store.values import Value


class StoreChange(Struct, frozen=True):
    """Change stored by an `Event`. Sequences grow with every change and are never reused."""

    sequence: int
    attributes: dict[str, Value]


class Changes(Protocol):
    """Log of changes in a store. Every method raises Unavailable when the store does not answer."""

    def read(self, after: int, limit: int) -> Sequence[StoreChange]:
        """Return up to `limit` changes with a sequence above `after`, lowest first; fewer if they are large."""
        ...

    def head(self) -> int:
        """The sequence of the last change that was ever written, 0 before the first."""
        ...

    def trim(self, through: int) -> None:
        """Forgets the changes up to `through`."""
        ...
