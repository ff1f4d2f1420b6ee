"""The live feed: each project's events as they happen, and again from a cursor.

Every event that concerns others goes into its project's log, which one reaction writes, in one order that is the order
of the writes within each event key. Listeners are served from the log, so that live and replayed events are the same
and nobody gets another project's: a log is read with a `Scope`.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from almanac.kernel.events import Event
from almanac.kernel.owners import EVENTS

KINDS = frozenset(EVENTS)
"""The kinds that listeners get; not those that only carry work from one reaction to the next."""


class Entry(Struct, frozen=True):
    """An event at its place in the log of its project."""

    sequence: int
    event: Event


class Stretch(Struct, frozen=True):
    """Entries in order. `whole` is False where some before the first are no longer kept."""

    entries: Sequence[Entry]
    whole: bool


class Subscription(Struct, frozen=True):
    """A listener's filter: all kinds where `kinds` is empty, all keys where `keys` is.

    A key is that of the event or the `key` in its payload; one that ends in `*` matches all that begin so. `heard` are
    the kinds that the listener's API key may be told of.
    """

    kinds: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    heard: frozenset[str] = KINDS

    def wants(self, event: Event) -> bool:
        if event.kind not in self.heard:
            return False
        if self.kinds and event.kind not in self.kinds:
            return False
        if not self.keys:
            return True
        named = event.payload.get("key")
        return any(_fits(key, event.key) or (isinstance(named, str) and _fits(key, named)) for key in self.keys)


class Gone(Exception):
    """The connection is closed for good."""


class Sender(Protocol):
    def send(self, connection: str, frame: str) -> None:
        """Sends one text frame, at most 128 KB. Raises Gone where nobody is there, Unavailable where it fails."""
        ...

    def close(self, connection: str) -> None:
        """Close the connection; nothing happens where nobody is there."""
        ...


def _fits(key: str, name: str) -> bool:
    return name.startswith(key[:-1]) if key.endswith("*") else key == name
