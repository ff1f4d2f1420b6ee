"""The live feed, which sends a project's events to listeners as they happen, or from a cursor on.

One reaction appends the public events of a project to its log. Within each event key, the log has the order of the
writes. Listeners are served from the log, so live and replayed events are the same. A log is read with a `Scope`, so no
listener gets another project's events.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from almanac.kernel.events import Event
from almanac.kernel.owners import EVENTS

KINDS = frozenset(EVENTS)
"""Kinds of events that listeners receive. Kinds that only pass work between reactions are not among them."""


class Entry(Struct, frozen=True):
    """An event and its position in the log of its project."""

    sequence: int
    event: Event


class Stretch(Struct, frozen=True):
    """Entries in order. `whole` is False if earlier entries have expired."""

    entries: Sequence[Entry]
    whole: bool


class Subscription(Struct, frozen=True):
    """A listener's filter. Empty `kinds` mean all kinds, and empty `keys` all keys.

    A key matches the event's key or the `key` in its payload. A key that ends in `*` matches all keys with that prefix.
    `heard` are the kinds that the listener's API key may receive.
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
        """Send one text frame of at most 128 KB.

        Raises Gone if the connection is closed, Unavailable if sending fails.
        """
        ...

    def close(self, connection: str) -> None:
        """Close the connection. Does nothing if it is closed."""
        ...


def _fits(key: str, name: str) -> bool:
    return name.startswith(key[:-1]) if key.endswith("*") else key == name
