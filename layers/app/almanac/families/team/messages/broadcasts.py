"""Broadcasts: values that the whole project reads, such as the current sprint; the last write wins."""

from collections.abc import Mapping
from typing import Any

import msgspec

from almanac.families.team.core.project import check_size, event_key
from almanac.families.team.core.records import BROADCASTS, Broadcast, Json
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import new_event
from almanac.kernel.ids import RandomBytes
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Change, Store

VALUE_BYTES = 8 * 1024
KEY_CHARACTERS = 256
PAGE_BYTES = 128 * 1024
PAGE = 500
SKEW_MS = 5000
_READ = 100


def is_set(broadcast: Broadcast, now: int) -> bool:
    """Whether it is current at `now`. A clock that was set back does not lengthen its life."""
    if broadcast.expires_at is None or broadcast.ttl_ms is None:
        return True
    return now < broadcast.expires_at <= now + broadcast.ttl_ms + SKEW_MS


def page(store: Store, scope: Scope, start: str | None, now: int) -> tuple[list[Broadcast], str | None]:
    """One page of current broadcasts by key from `start` on, and the key at which the next page begins."""
    rows, current, size = BROADCASTS.within(store, scope), list[Broadcast](), 0
    cursor: str | None = None
    while True:
        read = rows.query(since=start, limit=_READ, cursor=cursor)
        for broadcast in read.records:
            if not is_set(broadcast, now):
                continue
            size += len(msgspec.json.encode(broadcast))
            if current and (size > PAGE_BYTES or len(current) == PAGE):
                return current, broadcast.key
            current.append(broadcast)
        if (cursor := read.cursor) is None:
            return current, None


def broadcast_changes(
    store: Store,
    scope: Scope,
    key: str,
    value: Json,
    *,
    actor: str,
    at: int,
    random_bytes: RandomBytes,
    ttl_ms: int | None = None,
    more: Mapping[str, Any] | None = None,
) -> list[Change]:
    """The changes that set a broadcast, with their event; the value None removes it. `more` is added to the event's
    payload.

    Raises InvalidInput for a key that is not of 1 to 256 characters and a value of over 8 KB.
    """
    if not 1 <= len(key) <= KEY_CHARACTERS:
        raise InvalidInput(
            f"A broadcast's key has 1 to {KEY_CHARACTERS} characters, not {len(key)}.", "Shorten it.", path="key"
        )
    check_size(value, "value", VALUE_BYTES)
    rows = BROADCASTS.within(store, scope)
    expires_at = None if ttl_ms is None else at + ttl_ms
    event = new_event(
        "broadcast_set",
        scope,
        key=event_key(key),
        actor=actor,
        at=at,
        random_bytes=random_bytes,
        payload={"key": key, "value": value, **({"expires_at": expires_at} if expires_at else {}), **(more or {})},
    )
    broadcast = Broadcast(key=key, value=value, updated_at=at, updated_by=actor, expires_at=expires_at, ttl_ms=ttl_ms)
    return [rows.delete(key) if value is None else rows.put(broadcast), *outbox([event])]
