"""Events, which tell reactions and listeners about a change.

An event is small. It names the thing that changed and how to find it, but does not contain it.
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

    `id` is a ULID. `kind` says what happened, in snake_case and the past tense, e.g. claim_acquired. `key` names the
    thing that changed. Events with the same key are delivered in the order in which they were written; events with
    different keys may arrive in any order. `at` is milliseconds since 1970. `payload` is a JSON object.
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
    """Return an event with a new id. Raises InvalidInput if the kind, key or payload is out of bounds.

    `key` has 1 to 512 bytes and `payload` at most 16 KB as JSON. A reaction that needs more reads it from the store.
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
    """Return the payload as reactions will read it, after a round trip through JSON: tuples become lists, keys text."""
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
    """A kind of event as its family declares it. `sample` is an example payload with all fields, also optional ones.
    `others` names the fields that only events about other things have, e.g. about a meeting instead of a card."""

    name: str
    description: str
    sample: Mapping[str, Any]
    others: tuple[str, ...] = ()
