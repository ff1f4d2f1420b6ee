"""Reactions: what happens because of an event, after the call that caused it was answered.

A reaction reads what it needs and answers with the changes to make. They are written together with a marker of the
event, so that an event, which may come more than once, has its effect once. Effects outside the store (a search
index) happen inside `handle` and must come out the same when repeated.

Events of one key reach a reaction in the order in which they were written, unless it is unordered. An event whose
reaction keeps failing is parked after a number of attempts: later events of its key go on without it, and until then
they wait. Whoever retries a parked event has it handled after events that are newer than it: a reaction that cares
compares what it finds.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.kernel.errors import AlmanacError, FailureWithMetric
from almanac.kernel.events import Event
from almanac.platform.bus.messages import Message
from almanac.platform.services import Services
from almanac.platform.store.port import Change

MAX_CHANGES_OF_A_REACTION = 96
"""The rest of a write is kept for what delivery adds."""


class PermanentFailure(AlmanacError):
    """Raised by a reaction that no further attempt would help: the event is parked at once."""

    code = "not_available"


class EventParked(FailureWithMetric):
    """Reported when a reaction gives up on an event, which then waits among the parked events."""

    metric = "ParkedEvents"


Handle = Callable[[Event, Services], Sequence[Change]]


class Together(Struct, frozen=True):
    """Handler for several events of one project in one write, which applies all of their changes or none.

    It can save work outside the store, such as calls of an index. If it fails, each event is handled alone. It receives
    at most `events` events, and no further ones once their `weight` reaches `most`.
    """

    handle: Callable[[Sequence[Event], Services], Sequence[Change]]
    events: int
    weight: Callable[[Event], int]
    most: int


class Reaction(Struct, frozen=True):
    """`name` is unique and stays: progress is kept under it. `handle` answers at most 96 changes, none being needed.

    `handle` is called again when a condition of its changes does not hold, or when it raises. A `repeatable` reaction
    comes to the same when an event is handled again, and needs no markers. An `unordered` one needs no order of events:
    on AWS it has them from the event bus, on a laptop from the same worker as the others.
    """

    name: str
    kinds: frozenset[str]
    handle: Handle
    together: Together | None = None
    repeatable: bool = False
    unordered: bool = False

    def wants(self, message: Message) -> bool:
        return message.event.kind in self.kinds and message.reaction in (None, self.name)
