"""The consumer of the change table. It delivers each message to the interested reactions, in order per key.

A change is settled once all of its deliveries are. The stored position lies before the first change that is not
settled. After a restart, later changes are read again, and the consumer recognises deliveries that were already made.

Each step is a round, in which every tenant with waiting messages gets one turn of limited time. If a project has more
messages than may wait in memory, the rest stays in the table until there is room. Other projects do not wait for that.
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
"""Length of a tenant's turn in a round. A delivery that has begun is finished."""


class ChangeFeedConsumer:
    """Follows the change table, starting at the position of the lease."""

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
        # The first change of each project that was left in the table for later.
        self._left: dict[Scope, int] = {}
        # An earlier holder may have delivered changes up to here without storing its position.
        self._head_at_start = changes.head()

    @property
    def queue_length(self) -> int:
        """Number of deliveries waiting in memory."""
        return len(self._queue)

    def step(self, now: int, stopping: Callable[[], bool]) -> bool:
        """Read a batch of new changes and go one round. Return True if nothing more can be done now.

        Raises LostLease when another process has taken over, Unavailable if the store does not answer.
        """
        self._queue.wake(now)
        is_new = self._read_on()
        self._reread_left_changes()
        self._go_round(stopping)
        self.keep_position()
        return not is_new and not self._queue.ready_tenants() and not self._scopes_with_room()

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

    def _reread_left_changes(self) -> None:
        """Read changes that were left in the table, for projects that have room again."""
        for scope in self._scopes_with_room():
            self._reread(scope, self._left.pop(scope))

    def _scopes_with_room(self) -> list[Scope]:
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
        """Queue the messages of a change, which all have one event key. False if the project has no more room."""
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
                self._deliver_all(self._with_similar(waiting))
                if self._monotonic() - begun >= TURN_SECONDS:
                    break

    def _with_similar(self, first: QueuedMessage) -> list[QueuedMessage]:
        """Return the first message, and the ones that its reaction may handle together with it."""
        some, together = [first], first.reaction.together
        if together is None or first.tried:
            return some
        weight = together.weight(first.message.event)
        while len(some) < together.events and weight < together.most:
            waiting = self._queue.take_similar(first)
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
            # A later version wrote it, or it is damaged. Waiting would not make it readable.
            self._report(f"change {change.sequence}", error)
            return []
