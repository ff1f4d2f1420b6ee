"""The outbox, which turns events into changes. Write them together with the state that they report.

    store.write([Put(claim_key, claim), *outbox([event])])

Each event key has one outbox item, which every write replaces. Change feeds keep the order of an item's versions, and
the table does not grow. Writers of one key have to wait for each other, so let the key name the one thing that changed.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec

from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event
from almanac.platform.bus.messages import Message, decode_message, encode_message
from almanac.platform.bus.records import OUTBOX, Outboxed
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change, OutboxPut
from almanac.platform.store.values import Value

KEPT_MS = 7 * 86_400_000
EVENTS_PER_KEY = 16
_KEY_BYTES = 341
"""A third of the length of a sort key, because each byte may have to be escaped."""


def outbox(events: Sequence[Event]) -> list[Change]:
    """Return the changes that publish `events`. Events of one key keep their order.

    Raises InvalidInput for more than 16 events of one key.
    """
    return post([Message(event) for event in events])


def post(messages: Sequence[Message]) -> list[Change]:
    """Return the changes that publish `messages`, as `outbox` does for events."""
    together: dict[Key, list[Message]] = {}
    for message in messages:
        together.setdefault(outbox_key(message.event), []).append(message)
    return [_put(key, of_key) for key, of_key in together.items()]


def outbox_key(event: Event) -> Key:
    return OUTBOX.key(event.scope, OUTBOX.own, (_name_of(event),))


def _name_of(event: Event) -> str:
    key = event.key.encode()
    return event.key if len(key) <= _KEY_BYTES else sha256(key).hexdigest()


def without_outbox(changes: Sequence[Change], keys: str) -> tuple[list[Change], list[str]]:
    """Split changes into those without outbox items for keys that begin with `keys`, and the messages of these items.

    A caller that writes another item with each such event can let that item carry the messages.
    """
    others: list[Change] = []
    messages: list[str] = []
    for change in changes:
        attributes: Mapping[str, Value] = change.attributes if isinstance(change, OutboxPut) else {}
        own, texts = attributes.get("key"), attributes.get("messages")
        if isinstance(own, str) and own.startswith(keys) and isinstance(texts, list):
            messages += [text for text in texts if isinstance(text, str)]
        else:
            others.append(change)
    return others, messages


def messages_in(attributes: Mapping[str, Value]) -> list[Message]:
    """Return the messages of an outbox item from a change feed, in order. Any other item has none.

    Raises msgspec.DecodeError for an invalid message.
    """
    texts = attributes.get("messages")
    return [decode_message(text) for text in texts if isinstance(text, str)] if isinstance(texts, list) else []


def _put(key: Key, messages: list[Message]) -> Change:
    if len(messages) > EVENTS_PER_KEY:
        raise InvalidInput(
            f"A write has {len(messages)} events of one key, over {EVENTS_PER_KEY}.", "Write in several steps."
        )
    expires_at = max(message.retried_at or message.event.at for message in messages) + KEPT_MS
    texts = [encode_message(message) for message in messages]
    outboxed = Outboxed(key=_name_of(messages[0].event), messages=texts, expires_at=expires_at)
    return OutboxPut(key, msgspec.to_builtins(outboxed), expires_at=expires_at)
