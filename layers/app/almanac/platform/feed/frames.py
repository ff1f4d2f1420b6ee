"""The protocol of the live feed's socket: JSON objects in text frames, the same on a laptop and on AWS.

From the listener:

    {"type": "authenticate", "key": "alm_...", "project": "..."}      first, unless the key came in a header
    {"type": "subscribe", "kinds": [...], "keys": [...], "since": "<cursor>"}      everything where a list is left out

From a page of the dashboard on AWS, as its only frame:

    {"type": "follow", "ticket": "..."}                               the ticket that the page was given for its session

To the listener:

    {"type": "ready", "project": "..."}                               the key was taken
    {"type": "subscribed", "kinds": [...], "keys": [...], "cursor": "...", "left_out": [...]}
    {"type": "events", "events": [{"cursor", "id", "kind", "key", "at", "actor", "payload"}, ...]}
    {"type": "following"}                                             to a page: the ticket was taken
    {"type": "changed"}                                               to a page: its project changed
    {"type": "error", "code": "...", "message": "...", "hint": "..."}      nothing more comes after it

A listener that sent its key in a header subscribes at once. One that sends its key in a frame waits for `ready`.
`since` is the cursor of the last received event, or of `subscribed`; later events follow. `at` is milliseconds since
1970. After a failure an event may arrive twice, with the same id.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from almanac.kernel.caller import Scope
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.kernel.owners import EVENTS, Families, visible_event_kinds
from almanac.platform.feed.port import KINDS, Entry, Subscription
from almanac.platform.store.cursors import Cursors

MAX_LISTENER_FRAME = 16 * 1024
MAX_FRAME = 100 * 1024
MAX_KEYS = 50
MAX_NAME = 512

UNAUTHORIZED = 4401
FORBIDDEN = 4403
BAD_FRAME = 4400
TOO_SLOW = 4408
FELL_BEHIND = 4409
CURSOR_EXPIRED = 4410
"""Close codes of a socket, sent after an `error` frame. A server that shuts down closes with 1012."""


class Authenticate(Struct, frozen=True, tag="authenticate", tag_field="type", forbid_unknown_fields=True):
    key: str
    project: str = ""


class Subscribe(Struct, frozen=True, tag="subscribe", tag_field="type", forbid_unknown_fields=True):
    kinds: Annotated[list[str], Meta(max_length=len(KINDS))] = []
    keys: Annotated[list[Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]], Meta(max_length=MAX_KEYS)] = []
    since: Annotated[str, Meta(max_length=512)] | None = None


class Follow(Struct, frozen=True, tag="follow", tag_field="type", forbid_unknown_fields=True):
    ticket: Annotated[str, Meta(max_length=64)]


ListenerFrame = Authenticate | Subscribe | Follow

FOLLOWING = '{"type":"following"}'
CHANGED = '{"type":"changed"}'
"""The frame for pages of the dashboard. They fetch the changes themselves, so they get no events."""

_read = msgspec.json.Decoder(ListenerFrame).decode
_write = msgspec.json.Encoder().encode


def read_frame(text: str) -> ListenerFrame:
    """Parse a listener's frame. Raises InvalidInput for anything else."""
    try:
        if len(text) <= MAX_LISTENER_FRAME:
            return _read(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    raise InvalidInput(
        "This is not a frame of the live feed.",
        'Send {"type": "authenticate", "key": "..."}, then {"type": "subscribe", "kinds": [], "keys": []}.',
    )


def subscription(frame: Subscribe, families: Families) -> Subscription:
    """Check a subscription. `families` are those of the listener's API key, None for all.

    Raises InvalidInput for an unknown kind, or one that the key may not receive.
    """
    if unknown := sorted(set(frame.kinds) - KINDS):
        raise InvalidInput(f'No event is of the kind "{unknown[0][:64]}".', f"Use some of {', '.join(sorted(KINDS))}.")
    heard = visible_event_kinds(families)
    if unheard := sorted(set(frame.kinds) - heard):
        raise InvalidInput(
            f"This API key may not subscribe to {unheard[0]}.",
            f"It needs the family {' or '.join(EVENTS[unheard[0]])}. Use some of {', '.join(sorted(heard))}.",
        )
    return Subscription(frozenset(frame.kinds), tuple(frame.keys), heard)


class Places:
    """Cursors of the live feed. Each is a position in one project's log, and only valid for that project."""

    def __init__(self, cursors: Cursors, scope: Scope) -> None:
        self._cursors = cursors
        self._log = ("feed", scope.tenant, scope.project)

    def seal(self, sequence: int) -> str:
        return self._cursors.seal(self._log, (str(sequence),))

    def open(self, cursor: str) -> int:
        """Return the sequence in a cursor. Raises InvalidInput for any cursor but this project's."""
        (sequence,) = self._cursors.open(self._log, cursor)
        return int(sequence)


def event_text(entry: Entry, places: Places) -> str:
    """Return the JSON text of an event in an `events` frame."""
    event = entry.event
    fields = {
        "cursor": places.seal(entry.sequence),
        "id": event.id,
        "kind": event.kind,
        "key": event.key,
        "at": event.at,
        "actor": event.actor,
        "payload": event.payload,
    }
    return _write(fields).decode()


def event_frames(texts: Iterable[str]) -> Iterable[str]:
    """Yield `events` frames of at most 100 KB, in order."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and size + length > MAX_FRAME:
            yield _events(batch)
            batch, size = [], 0
        batch.append(text)
        size += length + 1
    if batch:
        yield _events(batch)


def ready_frame(scope: Scope) -> str:
    return _write({"type": "ready", "project": scope.project}).decode()


def subscribed_frame(to: Subscription, cursor: str) -> str:
    """Return the `subscribed` frame.

    After a subscription to all kinds, `left_out` names those the key may not receive.
    """
    left_out = [] if to.kinds else sorted(KINDS - to.heard)
    frame = {"type": "subscribed", "kinds": sorted(to.kinds), "keys": to.keys, "cursor": cursor}
    return _write({**frame, "left_out": left_out} if left_out else frame).decode()


def error_frame(code: str, message: str, hint: str) -> str:
    return _write({"type": "error", "code": code, "message": message, "hint": hint}).decode()


def refusal_frame(error: AlmanacError) -> str:
    return error_frame(error.code, error.message, error.hint)


def _events(texts: Sequence[str]) -> str:
    return f'{{"type":"events","events":[{",".join(texts)}]}}'
