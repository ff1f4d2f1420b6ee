"""Delivering one event to one reaction: its effect once, a failure counted, a hopeless event parked.

The same on a laptop's worker and on AWS; who calls sees to the order.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError
from almanac.platform.bus.messages import Message
from almanac.platform.bus.port import MAX_CHANGES_OF_A_REACTION, Reaction, Services
from almanac.platform.bus.records import (
    Failure,
    done_key,
    failing_key,
    from_attributes,
    parked_key,
    put_done,
    put_failing,
    put_parked,
)
from almanac.platform.store.expiry import milliseconds
from almanac.platform.store.port import Change, Check, ConditionFailed, Delete, Store

_REPEATS = 5
_ERROR_LENGTH = 500

Report = Callable[[str, BaseException], None]
"""Takes where something went wrong, and what."""


class LostLease(Exception):
    """Another worker has taken over: nothing was written, and nothing more may be."""


class Patience(Struct, frozen=True):
    """How often a failing event is tried, and how long between: `first_ms`, twice that, ... up to `longest_ms`.

    A fault of the event or the reaction (any error that no waiting mends) counts against `faults`; an outage of a
    backing service only against `attempts`.
    """

    faults: int = 6
    attempts: int = 100
    first_ms: int = 500
    longest_ms: int = 60_000

    def pause(self, attempts: int) -> int:
        return min(self.longest_ms, self.first_ms * 2 ** min(attempts - 1, 20))


class Delivery:
    def __init__(
        self,
        store: Store,
        services: Services,
        clock: Clock,
        *,
        report: Report,
        patience: Patience | None = None,
    ) -> None:
        self._store = store
        self._services = services
        self._clock = clock
        self._report = report
        self._patience = patience or Patience()

    def deliver(self, message: Message, reaction: Reaction, *, tried: bool, fence: Check | None = None) -> int | None:
        """None when this is settled: done now, done before, or parked. Otherwise when to try again, in ms since 1970.

        `tried` says that it may have been tried before. `fence` must hold of everything that is written. Raises
        LostLease where it does not, Unavailable where the store does not answer.
        """
        besides: list[Change] = [fence] if fence else []
        failure: Failure | None = None
        if tried:
            settled, failure = self._standing(message, reaction)
            if settled:
                return None
            if failure is not None and failure.retry_at > milliseconds(self._clock):
                return failure.retry_at
        forget: list[Change] = [Delete(failing_key(message.event, reaction.name))] if failure else []
        try:
            self._apply(message, reaction, besides + forget)
        except LostLease:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a reaction raises is kept from the events behind it
            return self._failed(message, reaction, _counted(failure, error, milliseconds(self._clock)), besides, error)
        return None

    def _standing(self, message: Message, reaction: Reaction) -> tuple[bool, Failure | None]:
        """Whether it is done or parked already, and how it failed before."""
        event, name = message.event, reaction.name
        keys = [done_key(event, name), parked_key(event.tenant, event.id, name), failing_key(event, name)]
        done, parked, failing = self._store.snapshot(keys)
        failure = from_attributes(failing.attributes, Failure) if failing else None
        return done is not None or parked is not None, failure

    def _apply(self, message: Message, reaction: Reaction, besides: Sequence[Change]) -> None:
        """The reaction's changes, the marker of the event and `besides` in one write."""
        # The marker comes first: what an earlier delivery changed must not look like a conflict.
        added = [put_done(message.event, reaction.name, milliseconds(self._clock)), *besides]
        conflict: ConditionFailed | None = None
        for _ in range(_REPEATS):
            try:
                changes = reaction.handle(message.event, self._services)
            except ConditionFailed as failed:
                conflict = failed
                continue
            if len(changes) > MAX_CHANGES_OF_A_REACTION:
                raise ValueError(f"{reaction.name} makes {len(changes)} changes, over {MAX_CHANGES_OF_A_REACTION}")
            try:
                self._store.write([*added, *changes])
                return
            except ConditionFailed as failed:
                if failed.change == 0:
                    return
                if failed.change < len(added):
                    raise LostLease from failed
                conflict = failed
        raise conflict or ConditionFailed(0, None)

    def _failed(
        self, message: Message, reaction: Reaction, failure: Failure, besides: Sequence[Change], error: Exception
    ) -> int | None:
        event, name, patience = message.event, reaction.name, self._patience
        if failure.faults >= patience.faults or failure.attempts >= patience.attempts:
            parked = put_parked(message, name, failure, milliseconds(self._clock))
            changes, retry_at = [*besides, Delete(failing_key(event, name)), parked], None
        else:
            retry_at = failure.retry_at + patience.pause(failure.attempts)
            failure = structs.replace(failure, retry_at=retry_at)
            changes = [*besides, put_failing(event, name, failure)]
        try:
            self._store.write(changes)
        except ConditionFailed as failed:
            raise LostLease from failed
        self._report(f"reaction {name} to {event.kind} {event.id}", error)
        return retry_at


def _counted(before: Failure | None, error: Exception, now: int) -> Failure:
    is_outage = isinstance(error, AlmanacError) and error.retryable
    said = f"{type(error).__name__}: {error}".strip()
    return Failure(
        attempts=(before.attempts if before else 0) + 1,
        faults=(before.faults if before else 0) + (not is_outage),
        error=said.encode("utf-8", "replace").decode()[:_ERROR_LENGTH],
        first_at=before.first_at if before else now,
        retry_at=now,
    )
