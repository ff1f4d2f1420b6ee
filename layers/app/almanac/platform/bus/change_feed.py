"""The consumer of the change table: every message to every reaction that is interested, in order per key.

A change counts as settled once all its reactions are; the position that is kept lies before the first that is not.
After a restart the changes behind it come again, and deliveries that were made already are recognised.

Each step is a round: every tenant that has something waiting gets one turn of bounded time. What a project has beyond
what may wait in memory stays in the table and is read again when there is room: nobody else waits for that either.
"""

import time
from collections.abc import Callable, Sequence

import msgspec

from almanac.kernel.caller import Scope
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.lease import HeldLease
from almanac.platform.bus.messages import Message
from almanac.platform.bus.ordered_queue import OrderedQueue, QueuedMessage
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.port import Reaction
from almanac.platform.store.changes import Changes, StoreChange

BATCH = 256
MAX_WAITING = 10_000
MAX_OF_TENANT = 4_000
MAX_OF_PROJECT = 500
TURN_SECONDS = 0.05
"""After this long in a round the next tenant has its turn. A delivery that has begun is finished."""


class ChangeFeedConsumer:
    """Follows the change table from the position of the lease on."""

    def __init__(
        self,
        changes: Changes,
        delivery: Delivery,
        reactions: Sequence[Reaction],
        lease: HeldLease,
        report: Report,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._changes = changes
        self._delivery = delivery
        self._reactions = reactions
        self._lease = lease
        self._report = report
        self._monotonic = monotonic
        self._queue = OrderedQueue()
        self._read = lease.position
        # From here on a project's changes were left in the table for later.
        self._left: dict[Scope, int] = {}
        # Up to here an earlier holder may have come before it could keep its position.
        self._head_at_start = changes.head()

    @property
    def waiting(self) -> int:
        """Number of deliveries that wait in memory."""
        return len(self._queue)

    def step(self, now: int, stopping: Callable[[], bool]) -> bool:
        """Takes in a batch of what is new and goes one round; True where nothing is left that could be done now.

        Raises LostLease when another process has taken over, Unavailable where the store does not answer.
        """
        self._queue.wake(now)
        is_new = self._read_on()
        self._reread_what_was_left()
        self._go_round(stopping)
        self.keep_position()
        return not is_new and not self._queue.ready_tenants() and not self._with_room()

    def keep_position(self) -> None:
        firsts = [first for first in (self._queue.lowest(), *self._left.values()) if first is not None]
        settled = min(firsts) - 1 if firsts else self._read
        if settled > self._lease.position:
            self._lease.advance(settled)

    def next_due(self) -> int | None:
        """Return the instant of the next retry, in milliseconds since 1970; None if nothing failed."""
        return self._queue.soonest()

    def _read_on(self) -> bool:
        """Read more changes into the queue, and return whether there were any."""
        room = min(BATCH, MAX_WAITING - len(self._queue))
        changes = self._changes.read(self._read, room) if room > 0 else ()
        for change in changes:
            messages = self._messages(change)
            if messages and not self._enqueue(change, messages):
                self._left.setdefault(messages[0].event.scope, change.sequence)
            self._read = change.sequence
        return bool(changes)

    def _reread_what_was_left(self) -> None:
        """Takes in some of what was left in the table of projects that have room again."""
        for scope in self._with_room():
            self._reread(scope, self._left.pop(scope))

    def _with_room(self) -> list[Scope]:
        return [
            scope for scope in self._left if self._queue.count(scope) <= MAX_OF_PROJECT // 2 and self._has_room(scope)
        ]

    def _has_room(self, scope: Scope) -> bool:
        return (
            self._queue.count(scope) < MAX_OF_PROJECT
            and self._queue.count(scope.tenant) < MAX_OF_TENANT
            and len(self._queue) < MAX_WAITING
        )

    def _reread(self, scope: Scope, first: int) -> None:
        changes = self._changes.read(first - 1, BATCH)
        for change in changes:
            if change.sequence > self._read:
                return
            messages = self._messages(change)
            is_of_scope = bool(messages) and messages[0].event.scope == scope
            if is_of_scope and not self._enqueue(change, messages):
                self._left[scope] = change.sequence
                return
        if changes and changes[-1].sequence < self._read:
            self._left[scope] = changes[-1].sequence + 1

    def _enqueue(self, change: StoreChange, messages: Sequence[Message]) -> bool:
        """False where no more of its project may wait. All messages of a change are of one event key."""
        scope = messages[0].event.scope
        if scope in self._left or not self._has_room(scope):
            return False
        for message in messages:
            for reaction in self._reactions:
                if reaction.wants(message):
                    self._queue.append(
                        QueuedMessage(change.sequence, message, reaction, change.sequence <= self._head_at_start)
                    )
        return True

    def _go_round(self, stopping: Callable[[], bool]) -> None:
        for tenant in self._queue.ready_tenants():
            begun = self._monotonic()
            while not stopping() and (waiting := self._queue.take(tenant)) is not None:
                self._deliver_all(self._with_alike(waiting))
                if self._monotonic() - begun >= TURN_SECONDS:
                    break

    def _with_alike(self, first: QueuedMessage) -> list[QueuedMessage]:
        """The first, and what its reaction may handle together with it."""
        some, together = [first], first.reaction.together
        if together is None or first.tried:
            return some
        weight = together.weight(first.message.event)
        while len(some) < together.events and weight < together.most:
            waiting = self._queue.take_alike(first)
            if waiting is None:
                break
            some.append(waiting)
            weight += together.weight(waiting.message.event)
        return some

    def _deliver_all(self, some: Sequence[QueuedMessage]) -> None:
        messages, reaction = [each.message for each in some], some[0].reaction
        if len(some) > 1 and self._delivery.deliver_together(messages, reaction, fence=self._lease.fence):
            for waiting in some:
                self._queue.settle(waiting)
        else:
            for waiting in some:
                self._deliver(waiting)

    def _deliver(self, waiting: QueuedMessage) -> None:
        retry_at = self._delivery.deliver(
            waiting.message, waiting.reaction, tried=waiting.tried, fence=self._lease.fence
        )
        if retry_at is None:
            self._queue.settle(waiting)
        else:
            self._queue.postpone(waiting, retry_at)

    def _messages(self, change: StoreChange) -> list[Message]:
        try:
            return messages_in(change.attributes)
        except msgspec.DecodeError as error:
            # Written by a later version, or damaged: waiting would not make it readable.
            self._report(f"change {change.sequence}", error)
            return []
