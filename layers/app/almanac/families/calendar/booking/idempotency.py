"""Idempotency keys of bookings. Each actor has keys of its own in a calendar, so two actors may use the same key."""

from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.entries.records import IdempotencyRecord
from almanac.kernel.errors import Conflict

KEPT_MS = 7 * 86_400_000
_FIRST_FIELDS = (
    *("calendar_id", "start", "end", "summary", "description", "location", "attendees", "idempotency_key", "hold_id"),
)


class IdempotentRequest(NamedTuple):
    """Booking request that an actor may repeat under a key."""

    actor: str
    key: str
    digest: bytes

    @property
    def record_key(self) -> str:
        """Key of the stored record, unique for the pair of actor and key."""
        return f"{sha256(self.actor.encode()).hexdigest()[:32]}:{self.key}"

    def record(self, calendar_id: str, event_id: str, now: int) -> IdempotencyRecord:
        """Return the record of a booked event. It expires after a week."""
        return IdempotencyRecord(
            calendar=calendar_id,
            key=self.record_key,
            actor=self.actor,
            asked=self.digest,
            event_id=event_id,
            expires_at=now + KEPT_MS,
        )

    def check_same(self, record: IdempotencyRecord) -> None:
        """Raise Conflict if the key was used for another booking."""
        if record.asked != self.digest:
            raise self._reuse_error(
                f'The idempotency key "{self.key[:80]}" was used for another booking.',
                "Use a new key for a new booking; repeat a booking with the very same arguments.",
            )

    def cancelled_error(self) -> Conflict:
        return self._reuse_error(
            f'The booking that was made with the idempotency key "{self.key[:80]}" has been cancelled.',
            "Use a new key to book the slot again.",
        )

    def _reuse_error(self, message: str, hint: str) -> Conflict:
        return Conflict(message, hint, code="idempotency_key_reused")


def request_of(draft: Draft, actor: str) -> IdempotentRequest | None:
    if draft.idempotency_key is None:
        return None
    return IdempotentRequest(actor, draft.idempotency_key, digest_of(draft))


def digest_of(draft: Draft) -> bytes:
    """Return a digest of the request. A draft without the newer fields has the same digest as before they existed."""
    first: dict[str, Any] = {name: getattr(draft, name) for name in _FIRST_FIELDS}
    later = {"recurrence": draft.recurrence, "reminders": draft.reminders}
    return sha256(msgspec.msgpack.encode(first | {name: value for name, value in later.items() if value})).digest()
