"""Events: what happened, told once, to whoever reacts to it.

An event is small: it names what changed and holds what a reaction needs to find it, not the thing itself.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.kernel.ids import RandomBytes, ulid

PAYLOAD_BYTES = 16 * 1024
KEY_BYTES = 512

_KIND = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in a tenant's project.

    `id` is a ULID. `kind` says what happened, in snake_case and the past tense: claim_acquired. Events of one `key`,
    which names the thing that changed, are carried in the order in which they were written; those of different keys
    are not. `at` is milliseconds since 1970. `payload` is a JSON object.
    """

    id: str
    kind: str
    tenant: str
    project: str
    key: str
    at: int
    actor: str
    payload: Mapping[str, Any]

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, self.project)


def new_event(
    kind: str,
    scope: Scope,
    *,
    key: str,
    actor: str,
    at: int,
    random_bytes: RandomBytes,
    payload: Mapping[str, Any] | None = None,
) -> Event:
    """An event with an id of its own; raises InvalidInput for what cannot be carried.

    `key` has 1 to 512 bytes, `payload` at most 16 KB as JSON: a reaction that needs more reads it from the store.
    """
    if not _KIND.fullmatch(kind):
        raise InvalidInput(f"{kind!r} is not a kind of event.", "Use snake_case, at most 64 characters.", path="kind")
    _check_key(key)
    return Event(
        id=ulid(at, random_bytes),
        kind=kind,
        tenant=scope.tenant,
        project=scope.project,
        key=key,
        at=at,
        actor=actor,
        payload=_as_carried(payload or {}),
    )


def _check_key(key: str) -> None:
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        raise InvalidInput(
            "The key has an incomplete surrogate pair.", "Send valid Unicode text.", path="key"
        ) from None
    if not 1 <= size <= KEY_BYTES:
        raise InvalidInput(f"An event's key has 1 to {KEY_BYTES} bytes, not {size}.", "Use an id.", path="key")


def _as_carried(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy that is what a reaction will read: tuples have become lists, names text."""
    try:
        text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(
            "The payload of an event is not JSON.",
            "Use text, finite numbers, flags, None, lists and dicts.",
            path="payload",
        ) from None
    if size > PAYLOAD_BYTES:
        raise InvalidInput(
            f"The payload of an event has {size} bytes, over {PAYLOAD_BYTES}.",
            "Keep the thing in the store and its id in the event.",
            path="payload",
        )
    return json.loads(text)


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event as its family declares it. `sample` is the payload of one such event; fields that may be missing
    are in it too."""

    name: str
    description: str
    sample: Mapping[str, Any]
