"""A message: an event on its way to its reactions, as JSON text in the outbox, on the queue and on the bus.

`{"event": {"id", "kind", "tenant", "project", "key", "at", "actor", "payload"}}`, and for a retry of one reaction
also `"reaction"` and `"retried_at"`.
"""

from hashlib import sha256

import msgspec

from almanac.kernel.events import Event


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """`reaction` names the only reaction that is meant, None all; `retried_at` is when it was asked for again."""

    event: Event
    reaction: str | None = None
    retried_at: int | None = None

    @property
    def group(self) -> str:
        """The same for messages that must stay in order: 64 characters made of tenant, project and key."""
        return sha256(_encode((self.event.tenant, self.event.project, self.event.key))).hexdigest()

    @property
    def identity(self) -> str:
        """The same for copies of one message, at most 128 characters: what a queue recognises duplicates by."""
        if self.reaction is None:
            return self.event.id
        retry = sha256(_encode((self.reaction, self.retried_at))).hexdigest()
        return f"{self.event.id}-{retry}"


def encode_message(message: Message) -> str:
    return _encode(message).decode()


def decode_message(text: str | bytes) -> Message:
    """Raises msgspec.DecodeError for text that is no message."""
    return _decode(text)


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Message).decode
