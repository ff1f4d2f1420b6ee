"""What waits: events behind one that failed, in one lane for each reaction and event key."""

from collections import deque

from msgspec import Struct, structs

from almanac.platform.bus.messages import Message
from almanac.platform.bus.port import Reaction

Lane = tuple[str, str]
"""The name of a reaction, and the group of messages that stay in order."""


class Waiting(Struct, frozen=True):
    """`sequence` is that of the change that brought the message; `tried` that it may have been tried before."""

    sequence: int
    message: Message
    reaction: Reaction
    tried: bool

    @property
    def lane(self) -> Lane:
        return self.reaction.name, self.message.group


class Lanes:
    """Each lane is opened by a failed message, at its head, and is gone when its last one is settled."""

    def __init__(self) -> None:
        self._lanes: dict[Lane, deque[Waiting]] = {}
        self._due: dict[Lane, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, lane: Lane) -> bool:
        return lane in self._lanes

    def append(self, waiting: Waiting) -> None:
        self._lanes.setdefault(waiting.lane, deque()).append(waiting)
        self._count += 1

    def postpone(self, lane: Lane, until: int) -> None:
        """The head of the lane was tried, and is again from `until` on, in milliseconds since 1970."""
        self._due[lane] = until
        self._lanes[lane][0] = structs.replace(self._lanes[lane][0], tried=True)

    def head(self, lane: Lane) -> Waiting | None:
        """None where the lane is gone."""
        waiting = self._lanes.get(lane)
        return waiting[0] if waiting else None

    def settle(self, lane: Lane) -> None:
        """The head of the lane is done or parked."""
        waiting = self._lanes[lane]
        waiting.popleft()
        self._count -= 1
        if not waiting:
            del self._lanes[lane]
            self._due.pop(lane, None)

    def due(self, now: int) -> list[Lane]:
        return [lane for lane, until in self._due.items() if until <= now]

    def soonest(self) -> int | None:
        """When the first lane is due."""
        return min(self._due.values(), default=None)

    def lowest(self) -> int | None:
        """The sequence of the first change that is not settled."""
        return min((waiting[0].sequence for waiting in self._lanes.values()), default=None)
