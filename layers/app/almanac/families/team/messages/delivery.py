"""Send a message. Plans the changes that put it into inboxes, for a caller or a rule."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding, redact_value
from almanac.families.team.core.actors import fold_actor
from almanac.families.team.core.project import check_size
from almanac.families.team.messages.mail_records import (
    INBOXES,
    MESSAGES,
    MOST_RECIPIENTS,
    ROLE,
    SEND_KEYS,
    SENDERS,
    UNREAD,
    Inbox,
    InboxMessage,
    Letter,
    Message,
    Priority,
    SenderMinute,
    SendKey,
    box_of,
    is_own,
)
from almanac.kernel.errors import Conflict, InvalidInput, LimitExceeded
from almanac.kernel.events import new_event
from almanac.kernel.ids import time_ordered_uuid
from almanac.platform.project import event_key
from almanac.platform.redactions.rows import Writer, redaction_changes
from almanac.platform.store.port import Change, Put
from almanac.platform.store.records import replace
from almanac.search.engine.document_writes import document_change
from almanac.search.port import Document

MESSAGE_KIND = "message"
BODY_BYTES = 16 * 1024
SUBJECT_CHARACTERS = 200
KEY_CHARACTERS = 128
_KEY_MS = 7 * 86_400_000
"""Time for which repeats under an idempotency key are recognised."""
MAX_UNREAD = 10_000
SHARED_KEPT = 500
A_MINUTE = 60
"""Number of messages that an actor may send in a minute."""
NAME_BYTES = 256
NAMES_BYTES = 4 * 1024
"""Limit for recipients and subjects together, because the event of the message carries both."""
_MINUTE_MS = 60_000
_PREVIEW = 200
_REMIND_MS: Mapping[Priority, int] = {
    "urgent": 5 * _MINUTE_MS,
    "high": 15 * _MINUTE_MS,
    "normal": 60 * _MINUTE_MS,
    "low": 24 * 60 * _MINUTE_MS,
}


class MessageWrite(Struct, frozen=True):
    """A message, and the changes that send it."""

    message: Message
    changes: Sequence[Change]


def redact_letter(letter: Letter) -> tuple[Letter, Sequence[SecretFinding]]:
    """Return the letter with secrets removed from its texts, and the removed secrets."""
    redacted = redact_value({"subject": letter.subject, "body": letter.body, "about": list(letter.about)})
    return altered(letter, **cast("dict[str, Any]", redacted.value)), redacted.findings


def message_document(message: Message) -> Document:
    """Return the search document of a message, which never changes."""
    return Document(
        id=message.id,
        kind=MESSAGE_KIND,
        profile="documents",
        version=1,
        title=message.subject,
        text=message.body,
        at=message.sent_at,
        details={"from": message.sender, "to": ", ".join(message.to)[:_PREVIEW], "thread": message.thread},
    )


def plan_message(
    writer: Writer,
    letter: Letter,
    *,
    at: int,
    findings: Sequence[SecretFinding] = (),
    earlier_changes: Sequence[Change] = (),
    more: Mapping[str, Any] | None = None,
) -> MessageWrite:
    """Plan the changes that send a letter. `made` are earlier changes of the same write; `more` is added to the event's
    payload.

    Raises InvalidInput for a letter out of bounds, and LimitExceeded if an inbox is full or the sender sends too many.
    """
    _check(letter)
    to = list(dict.fromkeys(address.strip() for address in letter.to))
    boxes = list(dict.fromkeys(map(box_of, to)))
    inboxes = [_add_message(each) for each in _inboxes(writer, boxes, earlier_changes)]
    thread, at = _thread_of(writer, letter.thread, at)
    message_id = time_ordered_uuid(at, writer.random_bytes)
    message = Message(
        id=message_id,
        thread=thread or message_id,
        sender=writer.actor,
        to=to,
        subject=letter.subject,
        body=letter.body,
        sent_at=at,
        priority=letter.priority,
        ack_required=letter.ack_required,
        about=list(letter.about),
        boxes={each.box: each.last for each in inboxes},
        waiting=boxes,
        remind_at=at + _REMIND_MS[letter.priority] if letter.ack_required else None,
    )
    rows = UNREAD.within(writer.store, writer.scope)
    heads = INBOXES.within(writer.store, writer.scope)
    changes: list[Change] = [
        MESSAGES.within(writer.store, writer.scope).insert(message),
        _count_message(writer, at, earlier_changes),
    ]
    for each in inboxes:
        changes.append(heads.insert(altered(each, version=1)) if each.version == 0 else replace(heads, each))
        changes.append(
            rows.insert(
                InboxMessage(box=each.box, number=each.last, message=message.id, sender=fold_actor(writer.actor))
            )
        )
        if not is_own(each.box) and each.last > SHARED_KEPT:
            changes.append(rows.delete(each.box, each.last - SHARED_KEPT))
    event = new_event(
        "message_sent",
        writer.scope,
        key=event_key(message.id),
        actor=writer.actor,
        at=at,
        random_bytes=writer.random_bytes,
        payload=_event_payload(message, more or {}),
    )
    changes += redaction_changes(writer, message.id, "message", findings, at)
    document, random_bytes = message_document(message), writer.random_bytes
    found = document_change(document, writer.scope, actor=writer.actor, at=at, random_bytes=random_bytes, also=[event])
    return MessageWrite(message, [*changes, found])


class IdempotencyKey(Struct, frozen=True):
    """The state of an idempotency key. `sent` is the message already sent under it, None if `change` has yet to store
    it."""

    sent: Message | None
    change: Callable[[str], Change]


def look_up_key(writer: Writer, letter: Letter, key: str, at: int) -> IdempotencyKey:
    """Look up the message that the writer sent under an idempotency key.

    Raises InvalidInput for a key of the wrong length, and Conflict if the writer used it for another letter.
    """
    if not 1 <= len(key) <= KEY_CHARACTERS:
        raise InvalidInput(
            f"idempotency_key has 1 to {KEY_CHARACTERS} characters.",
            "Give one of that length, or leave it out.",
            path="idempotency_key",
        )
    rows, sender = SEND_KEYS.within(writer.store, writer.scope), fold_actor(writer.actor)
    # A field that is added to Letter later must stay out of the digest while it has its default. Otherwise repeats of
    # messages sent in the week before would be conflicts.
    digest = sha256(msgspec.msgpack.encode(letter)).hexdigest()
    stored = rows.get(sender, key)
    if stored is not None and stored.expires_at > at:
        if stored.digest != digest:
            raise Conflict(
                f'The idempotency key "{key[:80]}" was used for another message.',
                "Use a new key for a new message; repeat a message with the very same arguments.",
                code="idempotency_key_reused",
            )
        sent = MESSAGES.within(writer.store, writer.scope).get(stored.message)
        if sent is not None:
            return IdempotencyKey(sent, lambda _: rows.delete(sender, key))

    def change(message_id: str) -> Change:
        version = 1 if stored is None else stored.version
        record = SendKey(
            sender=sender, key=key, digest=digest, message=message_id, expires_at=at + _KEY_MS, version=version
        )
        return rows.insert(record) if stored is None else replace(rows, record)

    return IdempotencyKey(None, change)


def _check(letter: Letter) -> None:
    if not 1 <= len(letter.to) <= MOST_RECIPIENTS or not all(one.strip() for one in letter.to):
        raise InvalidInput(f"A message has 1 to {MOST_RECIPIENTS} recipients.", "Name them in to.", path="to")
    if any(one.strip().casefold() == ROLE for one in letter.to):
        raise InvalidInput("A role needs a name.", "Write role:NAME.", path="to")
    for path, names in (("to", letter.to), ("thread", [letter.thread or ""]), ("about", letter.about)):
        if any(len(name.encode()) > NAME_BYTES for name in names):
            raise InvalidInput(f'"{path}" has a name of over {NAME_BYTES} bytes.', "Shorten it.", path=path)
    check_size([*letter.to, *letter.about], "to and about", NAMES_BYTES)
    if len(letter.about) > MOST_RECIPIENTS:
        raise InvalidInput(
            f"A message can be about up to {MOST_RECIPIENTS} things.", "Name the most important ones.", path="about"
        )
    if len(letter.subject) > SUBJECT_CHARACTERS:
        raise InvalidInput(
            f"The subject has over {SUBJECT_CHARACTERS} characters.", "Shorten it; details go in body.", path="subject"
        )
    if not letter.subject.strip():
        raise InvalidInput("The subject is empty.", "Say in a few words what it is about.", path="subject")
    size = len(letter.body.encode())
    if size > BODY_BYTES:
        raise InvalidInput(
            f"The body has {size} bytes, over {BODY_BYTES}.", "Store it elsewhere and send where it is.", path="body"
        )


def _thread_of(writer: Writer, requested: str | None, at: int) -> tuple[str | None, int]:
    """Return the requested thread, and an instant for the message after all others in the thread. Clocks of servers may
    differ."""
    if requested is None:
        return None, at
    rows = MESSAGES.within(writer.store, writer.scope)
    answered = rows.get(requested)
    thread = requested if answered is None else answered.thread
    earlier = [*rows.query(thread, index="gsi1", reverse=True, limit=1).records, *([answered] if answered else ())]
    return thread, max([at, *(each.sent_at + 1 for each in earlier)])


def _inboxes(writer: Writer, boxes: Sequence[str], earlier_changes: Sequence[Change]) -> list[Inbox]:
    """Return the inboxes as they are after the changes `made`, with version 0 if there is none."""
    rows = INBOXES.within(writer.store, writer.scope)
    stored = rows.get_many([(box,) for box in boxes])
    changed = {change.key: change for change in earlier_changes if isinstance(change, Put)}
    found: list[Inbox] = []
    for box, inbox in zip(boxes, stored, strict=True):
        before = inbox or Inbox(box=box, version=0)
        if (change := changed.get(rows.key(box))) is not None:
            # A write may change each item only once, so this change must include the earlier one. Its condition is on
            # the stored version.
            after = msgspec.convert(dict(change.attributes), Inbox)
            before = altered(before, last=after.last, unread=after.unread)
        found.append(before)
    return found


def _add_message(inbox: Inbox) -> Inbox:
    """Return the inbox with one more message. Raises LimitExceeded if it is full."""
    if is_own(inbox.box) and inbox.unread >= MAX_UNREAD:
        raise LimitExceeded(
            f"The inbox of {inbox.box.removeprefix('actor:')} is full: {MAX_UNREAD} messages wait there.",
            "Write to somebody else, or wait until they have acknowledged some.",
        )
    return altered(inbox, last=inbox.last + 1, unread=inbox.unread + int(is_own(inbox.box)))


def _count_message(writer: Writer, at: int, earlier_changes: Sequence[Change]) -> Change:
    """Return the change that counts a message of the sender. Raises LimitExceeded beyond the limit per minute."""
    rows, minute = SENDERS.within(writer.store, writer.scope), at - at % _MINUTE_MS
    sender = fold_actor(writer.actor)
    stored = rows.get(sender)
    sent = stored.sent if stored is not None and stored.minute == minute else 0
    key = rows.key(sender)
    for change in earlier_changes:
        if isinstance(change, Put) and change.key == key:
            sent = msgspec.convert(dict(change.attributes), SenderMinute).sent
    if sent >= A_MINUTE:
        raise LimitExceeded(
            f"{writer.actor} sent {A_MINUTE} messages within a minute.", "Wait a minute; put several things into one."
        )
    version = 1 if stored is None else stored.version
    minute_count = SenderMinute(
        sender=sender, minute=minute, sent=sent + 1, expires_at=at + 2 * _MINUTE_MS, version=version
    )
    return rows.insert(minute_count) if stored is None else replace(rows, minute_count)


def _event_payload(message: Message, more: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "message_id": message.id,
        "thread": message.thread,
        "from": message.sender,
        "to": message.to,
        "subject": message.subject,
        "preview": message.body[:_PREVIEW],
        "priority": message.priority,
        "ack_required": message.ack_required,
        "about": message.about,
        **more,
    }
