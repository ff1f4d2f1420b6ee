"""Delivery of one event to one reaction.

The event has its effect once. Failures are counted, and after too many the event becomes a dead letter. A laptop's
worker and AWS share this code. The caller keeps the order of events.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError
from almanac.kernel.events import Event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.bus.port import MAX_CHANGES_OF_A_REACTION, EventParked, PermanentFailure, Reaction
from almanac.platform.bus.records import (
    DEAD_LETTERS,
    DONE,
    EARLIER_DONE,
    EARLIER_FAILING,
    FAILING,
    REMEMBERED_MS,
    DeadLetterRecord,
    Done,
    Failure,
    dead_letter_key,
    done_key,
    failing_key,
)
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Check, ConditionFailed, Delete, Store

_REPEATS = 5
_ERROR_LENGTH = 500

Report = Callable[[str, BaseException], None]
"""Called with the place of a failure and the error."""


class LostLease(Exception):
    """Another worker has taken over. Nothing was written, and the former holder must not write any more."""


class RetryPolicy(Struct, frozen=True):
    """Limits of retries and the pauses between them.

    The first pause is `first_ms`. Each further one is twice as long, up to `longest_ms`. `faults` limits errors of the
    event or the reaction, which waiting does not fix. Outages of a backing service count only against `attempts`.
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
        retries: RetryPolicy | None = None,
    ) -> None:
        self._store = store
        self._services = services
        self._clock = clock
        self._report = report
        self._retries = retries or RetryPolicy()

    def deliver(self, message: Message, reaction: Reaction, *, tried: bool, fence: Check | None = None) -> int | None:
        """Deliver the message, and return when to try again, in milliseconds since 1970.

        Returns None when the delivery is settled: done now, done before, or a dead letter. `tried` is true if it may
        have been tried before. `fence` must hold for every write. Raises LostLease if it does not, and Unavailable if
        the store does not answer.
        """
        guard: list[Change] = [fence] if fence else []
        failure: Failure | None = None
        if tried:
            settled, failure = self._progress(message, reaction)
            if settled:
                return None
            if failure is not None and failure.retry_at > now_ms(self._clock):
                return failure.retry_at
        forget: list[Change] = [Delete(failing_key(message.event, reaction.name))] if failure else []
        try:
            self._apply(message, reaction, guard + forget)
        except LostLease:
            raise
        except Exception as error:  # noqa: BLE001 - an error of a reaction must not stop later events
            failure = self._add_attempt(message.event, reaction.name, failure, error)
            return self._store_failure(message, failure, guard, error)
        return None

    def deliver_together(self, messages: Sequence[Message], reaction: Reaction, *, fence: Check | None = None) -> bool:
        """Deliver messages in one write, and return whether that settled all of them. None may have been tried before.

        If it returns False, nothing was written, and the caller must deliver each message alone. A defect is reported
        in any case, because the messages may succeed alone. Raises LostLease.
        """
        if reaction.together is None:
            return False
        try:
            changes = reaction.together.handle([each.event for each in messages], self._services)
            return self._write_together(messages, reaction, changes, fence)
        except LostLease:
            raise
        except AlmanacError:
            # A conflict, an outage, or too much for one write. If it recurs for a single message, it is reported then.
            return False
        except Exception as error:  # noqa: BLE001 - delivering each alone shows which event fails
            self._report(f"reaction {reaction.name} to {len(messages)} events at once", error)
            return False

    def _write_together(
        self, messages: Sequence[Message], reaction: Reaction, changes: Sequence[Change], fence: Check | None
    ) -> bool:
        guard: list[Change] = [fence] if fence else []
        marked = () if reaction.repeatable else messages
        together = [*guard, *(self._marker(each.event, reaction.name) for each in marked), *changes]
        try:
            if together:
                self._store.write(together)
        except ConditionFailed as failed:
            if fence is not None and failed.change == 0:
                raise LostLease from failed
            return False
        return True

    def _progress(self, message: Message, reaction: Reaction) -> tuple[bool, Failure | None]:
        """Return whether the delivery is already settled, and its last failure."""
        event, name = message.event, reaction.name
        keys = [done_key(event, name), dead_letter_key(event, name), failing_key(event, name)]
        earlier = [table.key(event.scope, table.own, (event.id, name)) for table in (EARLIER_DONE, EARLIER_FAILING)]
        done, dead, failing, done_earlier, failing_earlier = self._store.snapshot([*keys, *earlier])
        failed = failing or failing_earlier
        is_settled = done is not None or dead is not None or done_earlier is not None
        return is_settled, FAILING.read(failed) if failed else None

    def _apply(self, message: Message, reaction: Reaction, extra: Sequence[Change]) -> None:
        """Write the reaction's changes, the marker of the event if it needs one, and `extra`, all at once."""
        # The marker comes first, so that the changes of an earlier delivery do not look like a conflict.
        marker: list[Change] = [] if reaction.repeatable else [self._marker(message.event, reaction.name)]
        added = [*marker, *extra]
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
                if added or changes:
                    self._store.write([*added, *changes])
                return
            except ConditionFailed as failed:
                if marker and failed.change == 0:
                    return
                if failed.change < len(added):
                    raise LostLease from failed
                conflict = failed
        raise conflict or ConditionFailed(0, None)

    def _marker(self, event: Event, reaction: str) -> Change:
        expires_at = now_ms(self._clock) + REMEMBERED_MS
        return DONE.within(self._store, event.scope).insert(
            Done(event_id=event.id, reaction=reaction, expires_at=expires_at)
        )

    def _add_attempt(self, event: Event, reaction: str, before: Failure | None, error: Exception) -> Failure:
        now = now_ms(self._clock)
        attempts = (before.attempts if before else 0) + 1
        is_outage = isinstance(error, AlmanacError) and error.retryable
        text = f"{type(error).__name__}: {error}".strip()
        retry_at = now + self._retries.pause(attempts)
        return Failure(
            event_id=event.id,
            reaction=reaction,
            attempts=attempts,
            faults=(before.faults if before else 0) + (not is_outage),
            error=text.encode("utf-8", "replace").decode()[:_ERROR_LENGTH],
            first_at=before.first_at if before else now,
            retry_at=retry_at,
            expires_at=retry_at + REMEMBERED_MS,
        )

    def _store_failure(
        self, message: Message, failure: Failure, guard: Sequence[Change], error: Exception
    ) -> int | None:
        """Store a dead letter, or the failure. Return the instant of the next attempt, None for a dead letter."""
        event, name = message.event, failure.reaction
        is_spent = failure.faults >= self._retries.faults or failure.attempts >= self._retries.attempts
        gives_up = is_spent or isinstance(error, PermanentFailure)
        if gives_up:
            changes = [*guard, Delete(failing_key(event, name)), self._dead_letter(message, failure)]
        else:
            changes = [*guard, FAILING.within(self._store, event.scope).put(failure)]
        try:
            self._store.write(changes)
        except ConditionFailed as failed:
            raise LostLease from failed
        where = f"reaction {name} to {event.kind} {event.id}"
        if not gives_up:
            self._report(where, error)
            return failure.retry_at
        parked = EventParked(
            f"Parked after {failure.attempts} attempts: `almanac events retry {event.id}` sends it again."
        )
        parked.__cause__ = error
        self._report(where, parked)
        return None

    def _dead_letter(self, message: Message, failure: Failure) -> Change:
        record = DeadLetterRecord(
            event_id=failure.event_id,
            reaction=failure.reaction,
            message=encode_message(message),
            attempts=failure.attempts,
            error=failure.error,
            first_at=failure.first_at,
            parked_at=now_ms(self._clock),
        )
        return DEAD_LETTERS.within(self._store, message.event.scope).put(record)
