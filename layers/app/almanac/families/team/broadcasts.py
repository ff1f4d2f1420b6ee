"""Broadcasts: pointers that the whole project reads, such as the current sprint; the last to write one wins."""

from collections.abc import Mapping
from typing import Any

from almanac.families.team.project import check_size
from almanac.families.team.project import event_key as key_of_events
from almanac.families.team.records import BROADCASTS, Broadcast, Json
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import new_event
from almanac.kernel.ids import RandomBytes
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Change, Store

VALUE_BYTES = 8 * 1024
KEY_CHARACTERS = 256


def setting(
    store: Store,
    scope: Scope,
    key: str,
    value: Json,
    *,
    actor: str,
    at: int,
    random_bytes: RandomBytes,
    more: Mapping[str, Any] | None = None,
) -> list[Change]:
    """The changes that set a broadcast and tell of it; None removes it. `more` goes into the event's payload.

    Raises InvalidInput for a key that is not of 1 to 256 characters and a value of over 8 KB.
    """
    if not 1 <= len(key) <= KEY_CHARACTERS:
        raise InvalidInput(
            f"A broadcast's key has 1 to {KEY_CHARACTERS} characters, not {len(key)}.", "Shorten it.", path="key"
        )
    check_size(value, "value", VALUE_BYTES)
    rows = BROADCASTS.within(store, scope)
    event = new_event(
        "broadcast_set",
        scope,
        key=key_of_events(key),
        actor=actor,
        at=at,
        random_bytes=random_bytes,
        payload={"key": key, "value": value, **(more or {})},
    )
    broadcast = Broadcast(key=key, value=value, updated_at=at, updated_by=actor)
    return [rows.delete(key) if value is None else rows.put(broadcast), *outbox([event])]
