"""Port by which families perform the actions of rules."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.port import Change, Store


class Cause(Struct, frozen=True):
    """Reason for a write that a rule makes. The event of that write carries it in its payload as `caused_by`.

    `depth` is 1 if the rule reacted to a person or an agent, 2 if it reacted to a write of depth 1.
    """

    rule: str
    event_id: str
    depth: int


class Firing(Struct, frozen=True):
    """The input of an action.

    `at` is the instant in milliseconds since 1970. `random_bytes` returns the same bytes when the same firing is
    repeated, so that ids do not change. `made` are the changes of the rule's earlier actions on this event. All changes
    are written together, and of two changes of one item the later one counts.
    """

    store: Store
    scope: Scope
    actor: str
    at: int
    random_bytes: RandomBytes
    cause: Cause
    made: Sequence[Change] = ()


Perform = Callable[[Mapping[str, Any], Firing], Sequence[Change]]
"""Takes the complete arguments of a tool, and returns the changes that the tool would make."""
