"""Letters, and stored records of mail: messages, the inboxes that they are in, and who has acknowledged them.

Each inbox numbers its messages, so that a reader who remembers a number misses none, however the clocks of the senders
differ. An inbox belongs to one actor, or is shared: by the actors of a role, or by everybody. An acknowledged message
leaves the inbox of an actor; a shared inbox keeps its last 500. Instants are milliseconds since 1970.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from almanac.families.team.core.actors import folded
from almanac.platform.store.records import Place, Record, Table, VersionedRecord

REMINDERS = "remind-of-messages"
"""The name of a job, which is stored."""

EVERYBODY = "everybody"
_ALSO_EVERYBODY = frozenset({"everyone", "all", "*", "@all", "@everyone"})
ROLE = "role:"
MOST_RECIPIENTS = 20

Priority = Literal["low", "normal", "high", "urgent"]


class Letter(Struct, frozen=True, kw_only=True):
    """A message as its sender gives it. `thread` is the id or thread of a message that it answers, or any name."""

    to: Sequence[str]
    subject: str
    body: str
    thread: str | None = None
    ack_required: bool = False
    priority: Priority = "normal"
    about: Sequence[str] = ()


class Message(VersionedRecord, frozen=True, kw_only=True):
    """`boxes` has the number of the message in each inbox that it was sent to; `waiting` are the inboxes of which
    nobody has acknowledged it. `remind_at` is None once the reminder was announced, and where none is due."""

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
    """`last` is the number of its newest message; `unread` counts those that an actor has yet to acknowledge."""

    box: str
    last: int = 0
    unread: int = 0


class InboxMessage(Record, frozen=True, kw_only=True):
    """A message in an inbox; `sender` in small letters."""

    box: str
    number: int
    message: str
    sender: str


class Acknowledgement(Record, frozen=True, kw_only=True):
    """An acknowledgement of a message by an actor, in small letters."""

    actor: str
    message: str
    at: int


class SharedFloors(Record, frozen=True, kw_only=True):
    """For each shared inbox, a number up to which an actor, in small letters, has nothing left to acknowledge."""

    actor: str
    floors: dict[str, int]


class SenderMinute(VersionedRecord, frozen=True, kw_only=True):
    """The number of messages that an actor sent within the minute from `minute` on."""

    sender: str
    minute: int
    sent: int
    expires_at: int


class SendKey(VersionedRecord, frozen=True, kw_only=True):
    """The idempotency key under which an actor, in small letters, sent a message; `digest` is that of the letter."""

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
    name = folded(address)
    if name == EVERYBODY or name in _ALSO_EVERYBODY:
        return EVERYBODY
    if name.startswith(ROLE):
        return ROLE + name.removeprefix(ROLE).strip()
    return f"actor:{name}"


def is_own(box: str) -> bool:
    return box.startswith("actor:")
