"""What is stored of the way of events, and where. Instants are milliseconds since 1970.

P#<tenant>#<project>#outbox#<event key>     outbox                    messages; expires after 7 days
P#<tenant>#<project>#reactions#<event id>   done#<reaction>           marker of an effect; expires after 30 days
                                            failing#<reaction>        Failure; expires after 30 days
T#<tenant>#parked                           <event id>#<reaction>     Parked
S#feed                                      <worker>                  Cursor of a laptop's worker, and its lease
"""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from almanac.kernel.caller import Scope
from almanac.kernel.events import Event
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Put
from almanac.platform.store.values import Value

REMEMBERED_MS = 30 * 86_400_000
"""How long a repeated event is recognised: longer than any queue or stream keeps one."""

Record = TypeVar("Record", bound=msgspec.Struct)


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """`attempts` counts all, `faults` those that were not an outage of a backing service."""

    attempts: int
    faults: int
    error: str
    first_at: int
    retry_at: int


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """An event that `reaction` gave up on. `message` is the JSON text to send it by again."""

    reaction: str
    message: str
    attempts: int
    error: str
    first_at: int
    parked_at: int


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """How far a worker has come in the change table: every change up to `position` is settled.

    `fence` grows by one with each new holder; `until` is when the lease ends unless it is kept.
    """

    holder: str
    fence: int
    until: int
    position: int


CURSORS = Partition.system("feed")


def cursor_key(worker: str) -> Key:
    return Key(CURSORS, sort_key(worker))


def done_key(event: Event, reaction: str) -> Key:
    return Key(_reactions(event), sort_key("done", reaction))


def failing_key(event: Event, reaction: str) -> Key:
    return Key(_reactions(event), sort_key("failing", reaction))


def parked_of(tenant: str) -> Partition:
    return Partition.in_tenant(Scope(tenant, ""), "parked")


def parked_key(tenant: str, event_id: str, reaction: str) -> Key:
    return Key(parked_of(tenant), sort_key(event_id, reaction))


def put_done(event: Event, reaction: str, now: int) -> Put:
    """Fails where the event has had its effect already."""
    return Put(done_key(event, reaction), {"at": now}, Absent(), expires_at=now + REMEMBERED_MS)


def put_failing(event: Event, reaction: str, failure: Failure) -> Put:
    key = failing_key(event, reaction)
    return Put(key, to_attributes(failure), expires_at=failure.retry_at + REMEMBERED_MS)


def put_parked(message: Message, reaction: str, failure: Failure, now: int) -> Put:
    event = message.event
    parked = Parked(
        reaction=reaction,
        message=encode_message(message),
        attempts=failure.attempts,
        error=failure.error,
        first_at=failure.first_at,
        parked_at=now,
    )
    return Put(parked_key(event.tenant, event.id, reaction), to_attributes(parked))


def to_attributes(record: msgspec.Struct) -> dict[str, Value]:
    return msgspec.to_builtins(record)


def from_attributes(attributes: Mapping[str, Value], record: type[Record]) -> Record:
    return msgspec.convert(attributes, record)


def _reactions(event: Event) -> Partition:
    return Partition.in_project(event.scope, "reactions", event.id)
