"""Messages, which carry an event to its reactions. Outbox, queues and event bus hold them as JSON text.

The form is `{"event": {"id", "kind", "tenant", "project", "key", "at", "actor", "payload"}}`. The retry of one reaction
also has `"reaction"` and `"retried_at"`.
"""

from hashlib import sha256

import msgspec

from almanac.kernel.events import Event


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """An event, for all reactions or for one. A retry names its only `reaction`, and the instant of the retry."""

    event: Event
    reaction: str | None = None
    retried_at: int | None = None

    @property
    def group(self) -> str:
        """Group of messages that must stay in order: 64 characters, derived from tenant, project and key."""
        return sha256(_encode((self.event.tenant, self.event.project, self.event.key))).hexdigest()

    @property
    def identity(self) -> str:
        """Id by which a queue recognises copies of the message, at most 128 characters."""
        if self.reaction is None:
            return self.event.id
        retry = sha256(_encode((self.reaction, self.retried_at))).hexdigest()
        return f"{self.event.id}-{retry}"


def encode_message(message: Message) -> str:
    return _encode(message).decode()


def decode_message(text: str | bytes) -> Message:
    """Parse a message. Raises msgspec.DecodeError for other text."""
    return _decode(text)


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Message).decode
