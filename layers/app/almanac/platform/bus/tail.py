"""Following the change table: every message to every reaction that is interested, in order per key.

A change counts as settled once all its reactions are; the position that is kept lies before the first that is not.
After a restart the changes behind it come again, and deliveries that were made already are recognised.
"""

from collections.abc import Callable, Sequence

import msgspec

from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.lanes import Lane, Lanes, Waiting
from almanac.platform.bus.lease import Held
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.port import Reaction
from almanac.platform.store.changes import Changed, Changes

BATCH = 256
MAX_WAITING = 10_000


class Tail:
    """One holder's way through the change table, from the position of the lease on."""

    def __init__(
        self, changes: Changes, delivery: Delivery, reactions: Sequence[Reaction], held: Held, report: Report
    ) -> None:
        self._changes = changes
        self._delivery = delivery
        self._reactions = reactions
        self._held = held
        self._report = report
        self._lanes = Lanes()
        self._read = held.position
        # Up to here an earlier holder may have come before it could keep its position.
        self._known = changes.head()

    def step(self, now: int, stopping: Callable[[], bool]) -> bool:
        """Delivers what is due and a batch of what is new; True where there was nothing new.

        Raises LostLease when another process has taken over, Unavailable where the store does not answer.
        """
        for lane in self._lanes.due(now):
            self._drain(lane, stopping)
        room = min(BATCH, MAX_WAITING - len(self._lanes))
        found = self._changes.read(self._read, room) if room > 0 else ()
        for change in found:
            if stopping():
                break
            self._take(change)
        self.keep_position()
        return not found

    def keep_position(self) -> None:
        lowest = self._lanes.lowest()
        settled = self._read if lowest is None else lowest - 1
        if settled > self._held.position:
            self._held.advance(settled)

    def next_due(self) -> int | None:
        """When something that failed is to be tried again, in milliseconds since 1970."""
        return self._lanes.soonest()

    def _take(self, change: Changed) -> None:
        for message in self._messages(change):
            for reaction in self._reactions:
                if reaction.wants(message):
                    self._accept(Waiting(change.sequence, message, reaction, change.sequence <= self._known))
        self._read = change.sequence

    def _accept(self, waiting: Waiting) -> None:
        if waiting.lane in self._lanes:
            self._lanes.append(waiting)
        elif (retry_at := self._deliver(waiting)) is not None:
            self._lanes.append(waiting)
            self._lanes.postpone(waiting.lane, retry_at)

    def _drain(self, lane: Lane, stopping: Callable[[], bool]) -> None:
        """Delivers a lane's messages up to the first that fails."""
        while not stopping() and (waiting := self._lanes.head(lane)) is not None:
            if (retry_at := self._deliver(waiting)) is not None:
                self._lanes.postpone(lane, retry_at)
                return
            self._lanes.settle(lane)

    def _deliver(self, waiting: Waiting) -> int | None:
        return self._delivery.deliver(waiting.message, waiting.reaction, tried=waiting.tried, fence=self._held.fence)

    def _messages(self, change: Changed) -> list[Message]:
        try:
            return messages_in(change.attributes)
        except msgspec.DecodeError as error:
            # Written by a later version, or damaged: waiting would not make it readable.
            self._report(f"change {change.sequence}", error)
            return []
