"""Letters, and the stored records of mail: messages, inboxes and acknowledgements.

Each inbox numbers its messages. A reader who remembers a number misses no message, even if the clocks of the senders
differ. An inbox belongs to one actor, or is shared by the actors of a role or by everybody. An acknowledged message
leaves the inbox of an actor. A shared inbox keeps its last 500 messages. Instants are milliseconds since 1970.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from almanac.families.team.core.actors import fold_actor
from almanac.platform.store.records import Place, Record, Table, VersionedRecord

REMINDERS = "remind-of-messages"
"""Stored name of a job."""

EVERYBODY = "everybody"
_ALSO_EVERYBODY = frozenset({"everyone", "all", "*", "@all", "@everyone"})
ROLE = "role:"
MOST_RECIPIENTS = 20

Priority = Literal["low", "normal", "high", "urgent"]


class Letter(Struct, frozen=True, kw_only=True):
    """A message as its sender writes it. `thread` is the id or thread of the message that it answers, or any name."""

    to: Sequence[str]
    subject: str
    body: str
    thread: str | None = None
    ack_required: bool = False
    priority: Priority = "normal"
    about: Sequence[str] = ()


class Message(VersionedRecord, frozen=True, kw_only=True):
    """A sent message. `boxes` has its number in each inbox; `waiting` lists the inboxes in which no actor has
    acknowledged it. `remind_at` is None if no reminder is due, or once it was announced."""

    id: str
    thread: str
    sender: str
    to: list[str]
    subject: str
    body: str
    sent_at: int
    priority: Priority = "normal"
    ack_required: bool = False
    about: list[str] = msgspec.field(default_factory=list[str])
    boxes: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    waiting: list[str] = msgspec.field(default_factory=list[str])
    remind_at: int | None = None


class Inbox(VersionedRecord, frozen=True, kw_only=True):
    """An inbox. `last` is the number of its newest message; `unread` counts the messages that an actor has yet to
    acknowledge."""

    box: str
    last: int = 0
    unread: int = 0


class InboxMessage(Record, frozen=True, kw_only=True):
    """A message in an inbox; `sender` is in lower case."""

    box: str
    number: int
    message: str
    sender: str


class Acknowledgement(Record, frozen=True, kw_only=True):
    """An acknowledgement of a message by an actor, whose name is in lower case."""

    actor: str
    message: str
    at: int


class SharedFloors(Record, frozen=True, kw_only=True):
    """For each shared inbox, a number up to which an actor has nothing left to acknowledge. The actor's name is in
    lower case."""

    actor: str
    floors: dict[str, int]


class SenderMinute(VersionedRecord, frozen=True, kw_only=True):
    """The number of messages that an actor sent within the minute from `minute` on."""

    sender: str
    minute: int
    sent: int
    expires_at: int


class SendKey(VersionedRecord, frozen=True, kw_only=True):
    """The idempotency key under which an actor sent a message. `sender` is in lower case; `digest` is the digest of the
    letter."""

    sender: str
    key: str
    digest: str
    message: str
    expires_at: int


MESSAGES = Table(
    Message,
    "messages",
    sort=("id",),
    indexes={
        "gsi1": Place("message_threads", partition=("thread",), sort=("id",)),
        "gsi2": Place("message_reminders", sort=("remind_at",)),
    },
    wakes={REMINDERS: "remind_at"},
)
INBOXES = Table(Inbox, "inboxes", sort=("box",))
UNREAD = Table(InboxMessage, "inbox_unread", partition=("box",), sort=("number",))
ACKNOWLEDGED = Table(InboxMessage, "inbox_acknowledged", partition=("box",), sort=("number",))
ACKNOWLEDGEMENTS = Table(Acknowledgement, "message_acknowledgements", partition=("actor",), sort=("message",))
FLOORS = Table(SharedFloors, "inbox_floors", sort=("actor",))
SEND_KEYS = Table(SendKey, "message_keys", partition=("sender",), sort=("key",), expires="expires_at")
SENDERS = Table(SenderMinute, "message_senders", sort=("sender",), expires="expires_at")


def box_of(address: str) -> str:
    """Return the inbox of an address: everybody, role:NAME, or an actor."""
    name = fold_actor(address)
    if name == EVERYBODY or name in _ALSO_EVERYBODY:
        return EVERYBODY
    if name.startswith(ROLE):
        return ROLE + name.removeprefix(ROLE).strip()
    return f"actor:{name}"


def is_own(box: str) -> bool:
    return box.startswith("actor:")
