"""Reactions, which handle an event after the call that caused it was answered.

A reaction reads what it needs and returns the changes to make. They are written together with a marker of the event. So
an event that arrives more than once has its effect once. Effects outside the store, such as those on a search index,
happen inside `handle` and must be idempotent.

Events of one key reach a reaction in the order in which they were written, unless the reaction is unordered. If a
reaction keeps failing, the event is parked after a number of attempts. Later events of the key wait until then. When an
operator retries a parked event, the reaction may have handled newer events before. A reaction for which that matters
must compare the event with the stored state.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.kernel.errors import AlmanacError, FailureWithMetric
from almanac.kernel.events import Event
from almanac.platform.bus.messages import Message
from almanac.platform.services import Services
from almanac.platform.store.port import Change

MAX_CHANGES_OF_A_REACTION = 96
"""The rest of a write is reserved for the changes that delivery adds."""


class PermanentFailure(AlmanacError):
    """Raised by a reaction when further attempts would not help. The event is parked at once."""

    code = "not_available"


class EventParked(FailureWithMetric):
    """Reported when a reaction gives up on an event, which is then parked."""

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
    """A reaction to events of some `kinds`.

    `name` is unique and must not change, because progress is stored under it. `handle` returns 0 to 96 changes. It is
    called again if a condition of its changes does not hold, or if it raises. A `repeatable` reaction is idempotent, so
    it needs no markers. An `unordered` one does not depend on the order of events. On AWS it receives them from the
    event bus, on a laptop from the same worker as the others.
    """

    name: str
    kinds: frozenset[str]
    handle: Handle
    together: Together | None = None
    repeatable: bool = False
    unordered: bool = False

    def wants(self, message: Message) -> bool:
        return message.event.kind in self.kinds and message.reaction in (None, self.name)
