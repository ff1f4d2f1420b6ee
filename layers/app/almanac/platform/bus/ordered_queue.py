"""Queues of deliveries, one for each reaction and event key, and the order in which tenants get their turns.

Tenants take turns, and so do the projects of a tenant. So a project with many waiting events does not delay the others.
"""

from collections import Counter, OrderedDict, deque

from msgspec import Struct, structs

from almanac.kernel.caller import Scope
from almanac.platform.bus.messages import Message
from almanac.platform.bus.port import Reaction

QueueName = tuple[str, str]
"""Name of a reaction, and the group of messages that stay in order."""


class QueuedMessage(Struct, frozen=True):
    """A message waiting for delivery to one reaction.

    `sequence` is the sequence of its change. `tried` is true if it may have been delivered before.
    """

    sequence: int
    message: Message
    reaction: Reaction
    tried: bool

    @property
    def queue(self) -> QueueName:
        return self.reaction.name, self.message.group


class OrderedQueue:
    """All queues of deliveries. A queue is ready, or waits for the retry of its head. It ends with its last message."""

    def __init__(self) -> None:
        self._queues: dict[QueueName, deque[QueuedMessage]] = {}
        self._due: dict[QueueName, int] = {}
        self._ready: dict[str, OrderedDict[str, deque[QueueName]]] = {}
        self._counts: Counter[str | Scope] = Counter()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def count(self, whose: str | Scope) -> int:
        """Return the number of waiting messages of a tenant or a project."""
        return self._counts[whose]

    def append(self, waiting: QueuedMessage) -> None:
        name = waiting.queue
        if name not in self._queues:
            self._queues[name] = deque()
            self._make_ready(name, waiting)
        self._queues[name].append(waiting)
        self._add(waiting, 1)

    def ready_tenants(self) -> list[str]:
        """Return the tenants that have messages to deliver now, each once."""
        return list(self._ready)

    def take(self, tenant: str) -> QueuedMessage | None:
        """Return the tenant's next message, from the project that was served longest ago and its longest ready queue.

        The message stays the head of its queue until it is settled or postponed.
        """
        projects = self._ready.get(tenant)
        if not projects:
            return None
        project, names = projects.popitem(last=False)
        name = names.popleft()
        if names:
            projects[project] = names
        elif not projects:
            del self._ready[tenant]
        return self._queues[name][0]

    def take_similar(self, waiting: QueuedMessage) -> QueuedMessage | None:
        """Return the project's next message if it is for the same reaction and was not tried before. None otherwise."""
        event = waiting.message.event
        projects = self._ready.get(event.tenant, OrderedDict())
        names = projects.get(event.project)
        if not names or names[0][0] != waiting.reaction.name or self._queues[names[0]][0].tried:
            return None
        name = names.popleft()
        if not names:
            del projects[event.project]
        if not projects:
            del self._ready[event.tenant]
        return self._queues[name][0]

    def settle(self, waiting: QueuedMessage) -> None:
        """Remove the head of its queue, which is done or has become a dead letter."""
        queue = self._queues[waiting.queue]
        queue.popleft()
        self._add(waiting, -1)
        if queue:
            self._make_ready(waiting.queue, queue[0])
        else:
            del self._queues[waiting.queue]

    def postpone(self, waiting: QueuedMessage, until: int) -> None:
        """Delay the head of its queue until that instant, in milliseconds since 1970."""
        self._due[waiting.queue] = until
        self._queues[waiting.queue][0] = structs.replace(waiting, tried=True)

    def wake(self, now: int) -> None:
        """Make the queues ready whose retry is due."""
        for name in [name for name, until in self._due.items() if until <= now]:
            del self._due[name]
            self._make_ready(name, self._queues[name][0])

    def soonest(self) -> int | None:
        """Return the instant of the next attempt, in milliseconds since 1970; None if no message waits for a retry."""
        return min(self._due.values(), default=None)

    def lowest(self) -> int | None:
        """Return the sequence of the first change that is not settled. None if there is none."""
        return min((waiting[0].sequence for waiting in self._queues.values()), default=None)

    def _make_ready(self, name: QueueName, head: QueuedMessage) -> None:
        event = head.message.event
        self._ready.setdefault(event.tenant, OrderedDict()).setdefault(event.project, deque()).append(name)

    def _add(self, waiting: QueuedMessage, change: int) -> None:
        self._count += change
        event = waiting.message.event
        for whose in (event.tenant, event.scope):
            self._counts[whose] += change
            if not self._counts[whose]:
                del self._counts[whose]
