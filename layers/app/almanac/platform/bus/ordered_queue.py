"""What waits for its delivery, in one lane for each reaction and event key, and whose turn it is.

Tenants take turns, and so do the projects of a tenant: however much one has waiting, another's event is next but one.
"""

from collections import Counter, OrderedDict, deque

from msgspec import Struct, structs

from almanac.kernel.caller import Scope
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


class OrderedQueue:
    """A lane is ready, or waits until its head is tried again, and is gone when its last message is settled."""

    def __init__(self) -> None:
        self._lanes: dict[Lane, deque[Waiting]] = {}
        self._due: dict[Lane, int] = {}
        self._ready: dict[str, OrderedDict[str, deque[Lane]]] = {}
        self._counts: Counter[str | Scope] = Counter()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def count(self, whose: str | Scope) -> int:
        """How much of one tenant, or of one project, waits."""
        return self._counts[whose]

    def append(self, waiting: Waiting) -> None:
        lane = waiting.lane
        if lane not in self._lanes:
            self._lanes[lane] = deque()
            self._make_ready(lane, waiting)
        self._lanes[lane].append(waiting)
        self._add(waiting, 1)

    def ready_tenants(self) -> list[str]:
        """Those with something to deliver now, each once."""
        return list(self._ready)

    def take(self, tenant: str) -> Waiting | None:
        """The tenant's next message: of the project that was not served for longest, there the first to be ready.

        It stays the head of its lane until it is settled or postponed.
        """
        projects = self._ready.get(tenant)
        if not projects:
            return None
        project, lanes = projects.popitem(last=False)
        lane = lanes.popleft()
        if lanes:
            projects[project] = lanes
        elif not projects:
            del self._ready[tenant]
        return self._lanes[lane][0]

    def settle(self, waiting: Waiting) -> None:
        """The head of the lane is done or parked."""
        lane = self._lanes[waiting.lane]
        lane.popleft()
        self._add(waiting, -1)
        if lane:
            self._make_ready(waiting.lane, lane[0])
        else:
            del self._lanes[waiting.lane]

    def postpone(self, waiting: Waiting, until: int) -> None:
        """The head of the lane was tried, and is again from `until` on, in milliseconds since 1970."""
        self._due[waiting.lane] = until
        self._lanes[waiting.lane][0] = structs.replace(waiting, tried=True)

    def wake(self, now: int) -> None:
        """What is to be tried again by now is ready."""
        for lane in [lane for lane, until in self._due.items() if until <= now]:
            del self._due[lane]
            self._make_ready(lane, self._lanes[lane][0])

    def soonest(self) -> int | None:
        """When the first lane is to be tried again."""
        return min(self._due.values(), default=None)

    def lowest(self) -> int | None:
        """The sequence of the first change that is not settled."""
        return min((waiting[0].sequence for waiting in self._lanes.values()), default=None)

    def _make_ready(self, lane: Lane, head: Waiting) -> None:
        event = head.message.event
        self._ready.setdefault(event.tenant, OrderedDict()).setdefault(event.project, deque()).append(lane)

    def _add(self, waiting: Waiting, change: int) -> None:
        self._count += change
        event = waiting.message.event
        for whose in (event.tenant, event.scope):
            self._counts[whose] += change
            if not self._counts[whose]:
                del self._counts[whose]
