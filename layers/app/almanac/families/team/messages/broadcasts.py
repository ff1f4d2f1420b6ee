"""Broadcasts, values such as the current sprint that the whole project reads. The last write wins."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.content.redaction import SecretFinding, redact, redact_value
from almanac.families.team.core.project import check_size, event_key
from almanac.families.team.core.records import BROADCASTS, Broadcast, Json
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import new_event
from almanac.platform.bus.outbox import outbox
from almanac.platform.redactions.rows import Writer, redaction_changes
from almanac.platform.store.page_cursors import bounded_page
from almanac.platform.store.port import Change, Store

VALUE_BYTES = 8 * 1024
KEY_CHARACTERS = 256
PAGE_BYTES = 128 * 1024
PAGE = 500
SKEW_MS = 5000
_READ = 100


def is_set(broadcast: Broadcast, now: int) -> bool:
    """Return whether the broadcast is current at `now`. Setting a clock back does not lengthen its life."""
    if broadcast.expires_at is None or broadcast.ttl_ms is None:
        return True
    return now < broadcast.expires_at <= now + broadcast.ttl_ms + SKEW_MS


def page(store: Store, scope: Scope, start: str | None, now: int) -> tuple[list[Broadcast], str | None]:
    """Return one page of current broadcasts by key from `start` on, and the key at which the next page begins."""
    found = bounded_page(
        BROADCASTS.within(store, scope).every(since=start, page=_READ),
        lambda broadcast: is_set(broadcast, now),
        limit=PAGE,
        size_of=lambda broadcast: len(msgspec.json.encode(broadcast)),
        most_bytes=PAGE_BYTES,
    )
    return found.rows, found.following.key if found.following else None


class BroadcastWrite(Struct, frozen=True):
    """The changes that set a broadcast, and the secrets removed from its value."""

    changes: list[Change]
    findings: tuple[SecretFinding, ...] = ()


def plan_broadcast(
    writer: Writer,
    key: str,
    value: Json,
    *,
    at: int,
    ttl_ms: int | None = None,
    more: Mapping[str, Any] | None = None,
) -> BroadcastWrite:
    """Plan the changes that set a broadcast, with its event. The value None removes it. `more` is added to the event's
    payload.

    Raises InvalidInput for a key that contains a secret or does not have 1 to 256 characters, and for a value over 8
    KB.
    """
    if not 1 <= len(key) <= KEY_CHARACTERS:
        raise InvalidInput(
            f"A broadcast's key has 1 to {KEY_CHARACTERS} characters, not {len(key)}.", "Shorten it.", path="key"
        )
    if redact(key).findings:
        raise InvalidInput("The key of the broadcast holds a secret.", "Name it without one.", path="key")
    # A key such as db_password tells what its value is.
    redacted = redact_value({key: value})
    value = cast("dict[str, Json]", redacted.value)[key]
    findings = tuple(replace(each, path=f"value{each.path.removeprefix(key)}") for each in redacted.findings)
    check_size(value, "value", VALUE_BYTES)
    rows = BROADCASTS.within(writer.store, writer.scope)
    expires_at = None if ttl_ms is None else at + ttl_ms
    event = new_event(
        "broadcast_set",
        writer.scope,
        key=event_key(key),
        actor=writer.actor,
        at=at,
        random_bytes=writer.random_bytes,
        payload={"key": key, "value": value, **({"expires_at": expires_at} if expires_at else {}), **(more or {})},
    )
    broadcast = Broadcast(
        key=key, value=value, updated_at=at, updated_by=writer.actor, expires_at=expires_at, ttl_ms=ttl_ms
    )
    found = redaction_changes(writer, key, "broadcast", findings, at)
    change = rows.delete(key) if value is None else rows.put(broadcast)
    return BroadcastWrite([change, *found, *outbox([event])], findings)
