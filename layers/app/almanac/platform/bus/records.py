"""Records of events in delivery: outbox, markers of finished deliveries, failures and dead letters.

Instants are milliseconds since 1970. Each worker of a laptop also stores a cursor, outside of any tenant: partition
S#feed, with the worker's name as the sort key.
"""

import msgspec

from almanac.kernel.events import Event
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.records import Record, Table

REMEMBERED_MS = 30 * 86_400_000
"""Time during which a repeated event is recognised, in milliseconds. No queue or stream keeps an event as long."""


class Outboxed(Record, frozen=True, kw_only=True):
    """The latest events of one key, for the change feed. `messages` are JSON texts, in order.

    `key` is the event key, or the SHA-256 of a long one.
    """

    key: str
    messages: list[str]
    expires_at: int


class Done(Record, frozen=True, kw_only=True):
    """Marker of a finished delivery. It is written together with the effect of the event."""

    event_id: str
    reaction: str
    expires_at: int


class Failure(Record, frozen=True, kw_only=True):
    """An event that a reaction failed to handle. It is delivered again at `retry_at`.

    `attempts` counts all attempts, `faults` those that did not fail because of an outage of a backing service.
    """

    event_id: str
    reaction: str
    attempts: int
    faults: int
    error: str
    first_at: int
    retry_at: int
    expires_at: int


class DeadLetterRecord(Record, frozen=True, kw_only=True):
    """An event that a reaction gave up on. `message` is the JSON text for sending it again."""

    event_id: str
    reaction: str
    message: str
    attempts: int
    error: str
    first_at: int
    parked_at: int


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """Position of a worker in the change table: it has settled every change up to `position`.

    `fence` grows by one with each new holder; `until` is when the lease ends unless it is extended.
    """

    holder: str
    fence: int
    until: int
    position: int


OUTBOX = Table(Outboxed, "outbox", sort=("key",), expires="expires_at")
DONE = Table(Done, "reactions_done", sort=("event_id", "reaction"), expires="expires_at")
FAILING = Table(Failure, "reactions_failing", sort=("event_id", "reaction"), expires="expires_at")
DEAD_LETTERS = Table(DeadLetterRecord, "parked_events", sort=("event_id", "reaction"), level="tenant")
CURSORS = Partition.system("feed")

# Until 2026-11-26 each event had partitions of its own, which could not be listed. They expire. Exports of that time
# contain them, and an import accepts every table of this module.
EARLIER_OUTBOX = Table(Outboxed, "outbox", partition=("key",), expires="expires_at")
EARLIER_DONE = Table(Done, "reactions_done", partition=("event_id",), sort=("reaction",), expires="expires_at")
EARLIER_FAILING = Table(Failure, "reactions_failing", partition=("event_id",), sort=("reaction",), expires="expires_at")


def cursor_key(worker: str) -> Key:
    return Key(CURSORS, sort_key(worker))


def done_key(event: Event, reaction: str) -> Key:
    return DONE.key(event.scope, DONE.own, (event.id, reaction))


def failing_key(event: Event, reaction: str) -> Key:
    return FAILING.key(event.scope, FAILING.own, (event.id, reaction))


def dead_letter_key(event: Event, reaction: str) -> Key:
    return DEAD_LETTERS.key(event.scope, DEAD_LETTERS.own, (event.id, reaction))
