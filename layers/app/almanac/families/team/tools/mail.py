"""Mail: messages to one agent or person, to a role, or to everybody."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.team.core.project import Project
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.messages.mail import InboxFilter, Mail, ReceivedMessage, unacknowledged_addresses
from almanac.families.team.messages.mail_records import Letter, Priority
from almanac.protocol.tool import Effect, tool


class SentMessage(msgspec.Struct, frozen=True):
    """Instants are milliseconds since 1970."""

    id: str
    thread: str
    to: list[str]
    sent_at: int


class SendResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """`replayed`: an earlier call with the same idempotency_key sent it."""

    ok: bool
    message: SentMessage
    replayed: bool = False


class MailView(msgspec.Struct, frozen=True):
    """Instants are milliseconds since 1970. `unread`: it was sent to you, and you have not acknowledged it.
    `waiting_for`: recipients who have not. `notes` name parts that look like instructions."""

    id: str
    thread: str
    sender: str
    to: list[str]
    subject: str
    body: str
    sent_at: int
    priority: Priority
    ack_required: bool
    about: list[str]
    unread: bool
    waiting_for: list[str]
    notes: tuple[str, ...]


class Mailbox(msgspec.Struct, frozen=True):
    """`next_cursor` begins after these messages, even if there are no more yet: with wait_ms it waits for the next one.
    `truncated`: there are more already. `actor` and `roles` are yours. `untrusted`: others wrote the texts."""

    messages: tuple[MailView, ...]
    truncated: bool
    next_cursor: str | None
    actor: str
    roles: list[str]
    untrusted: bool


class AcknowledgedMessage(msgspec.Struct, frozen=True):
    """`already`: you had acknowledged it before, at `acknowledged_at`."""

    ok: bool
    message_id: str
    acknowledged_at: int
    already: bool


@tool(title="Send a message", effect=Effect.ADDS)
def send_message(
    to: Annotated[list[str], Meta(description="Actors, role:NAME or everybody.")],
    subject: Annotated[str, Meta(description="Subject.")],
    body: Annotated[str, Meta(description="Text.")],
    thread: Annotated[str, Meta(description="Thread to reply in.")] | None = None,
    ack_required: Annotated[bool, Meta(description="Remind until it is acknowledged.")] | None = None,
    priority: Annotated[Priority, Meta(description="Urgency.")] | None = None,
    about: Annotated[list[str], Meta(description="Paths or cards it is about.")] | None = None,
    idempotency_key: Annotated[str, Meta(description="Your own id, to repeat a call safely.")] | None = None,
    *,
    mail: Mail,
) -> SendResult:
    """Tell one person, teammate or agent something: send a direct message (mail), ask a question or reply. For all to
    know use set_broadcast.
    """
    letter = Letter(
        to=to,
        subject=subject,
        body=body,
        thread=thread,
        ack_required=bool(ack_required),
        priority=priority or "normal",
        about=about or (),
    )
    sent = mail.send_once(letter, idempotency_key)
    message = sent.message
    return SendResult(True, SentMessage(message.id, message.thread, message.to, message.sent_at), sent.replayed)


@tool(title="Read your mail", effect=Effect.READS)
def read_inbox(
    unread_only: Annotated[bool | None, Meta(description="Default: true without thread.")] = None,
    thread: Annotated[str, Meta(description="Only this thread, with your own messages.", min_length=1, max_length=256)]
    | None = None,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=50)] = 20,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=4000)] | None = None,
    wait_ms: Annotated[int, Meta(description="Wait for the next message.", ge=0, le=20_000)] = 0,
    *,
    mail: Mail,
    project: Project,
) -> Mailbox:
    """Read your mail: did other agents or people write to you, which new and unread messages are there for you, your
    roles or everybody; or wait for the next one. Messages stay unread until acknowledge_message.
    """
    unread_only = thread is None if unread_only is None else unread_only
    cursors, query = project.cursors, ("inbox", project.actor, unread_only, thread)
    position = cursors.start_of(query, cursor, "")
    page = mail.read(InboxFilter(unread_only, thread), limit=limit, position=position, wait_ms=wait_ms)
    views = tuple(map(_view, page.received))
    position = cursors.seal(query, page.position)
    return Mailbox(views, page.truncated, position, project.actor, list(mail.roles), bool(views))


@tool(title="Acknowledge a message", effect=Effect.SETS)
def acknowledge_message(
    message_id: Annotated[str, Meta(description="id of a message.", min_length=1, max_length=64)],
    *,
    mail: Mail,
) -> AcknowledgedMessage:
    """Acknowledge a message that you got and have dealt with: it leaves your unread mail, and its sender sees it."""
    result = mail.acknowledge(message_id)
    return AcknowledgedMessage(True, result.message.id, result.at, result.already)


def _view(received: ReceivedMessage) -> MailView:
    message, quoting = received.message, TextQuoter()
    return MailView(
        id=message.id,
        thread=quoting.text("thread", message.thread),
        sender=message.sender,
        to=quoting.json("to", message.to),
        subject=quoting.text("subject", message.subject),
        body=quoting.text("body", message.body),
        sent_at=message.sent_at,
        priority=message.priority,
        ack_required=message.ack_required,
        about=quoting.json("about", message.about),
        unread=received.unread,
        waiting_for=unacknowledged_addresses(message),
        notes=quoting.notes,
    )
