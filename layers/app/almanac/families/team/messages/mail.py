"""Mail: messages from one actor to others, which stay unread until they are acknowledged."""
# ruff: noqa: PLC0415 - those who read import nothing of sending, nor of waiting

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec
from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.team.core.actors import fold_actor
from almanac.families.team.core.project import Project, system_project
from almanac.families.team.messages.mail_records import (
    ACKNOWLEDGED,
    ACKNOWLEDGEMENTS,
    EVERYBODY,
    FLOORS,
    INBOXES,
    MESSAGES,
    ROLE,
    UNREAD,
    Acknowledgement,
    InboxMessage,
    Letter,
    Message,
    SharedFloors,
    box_of,
)
from almanac.kernel.caller import Scope
from almanac.kernel.errors import NotFound
from almanac.platform.bus.outbox import outbox
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals, Present
from almanac.platform.store.page_cursors import bounded_page
from almanac.platform.store.port import Change, ConditionFailed, Update
from almanac.platform.store.records import Rows, replace

PAGE_BYTES = 64 * 1024
"""Limit for the bodies of one page. The first message is always whole."""
_LOOK_MS = 200
_SETTLING_LOOKS = 10
"""Reads after a new message arrived. The DynamoDB index for threads shows a message a moment after its inbox does."""
_AT_ONCE = 50
_MOST_LOOKED_AT = 1000
"""Messages that one page examines. Most of them may be addressed to others, or acknowledged."""


class InboxFilter(Struct, frozen=True):
    unread_only: bool = True
    thread: str | None = None


class ReceivedMessage(Struct, frozen=True):
    """A message as its reader sees it. `unread` means that it was sent to the reader, who has not acknowledged it."""

    message: Message
    unread: bool


class MailPage(Struct, frozen=True):
    """A page of mail. `position` is the start of the next page, which also exists after the last message so far."""

    received: Sequence[ReceivedMessage]
    truncated: bool
    position: str


class SentOnce(Struct, frozen=True):
    """A sent message. `replayed` means that an earlier call sent it."""

    message: Message
    replayed: bool


class AcknowledgementResult(Struct, frozen=True):
    """An acknowledged message. `already` means that the caller had acknowledged it before."""

    message: Message
    at: int
    already: bool


class Mail:
    """The mail of one project for a caller with `roles`."""

    def __init__(self, project: Project, roles: Sequence[str] = ()) -> None:
        self.roles = roles
        self._project = project
        self._own = box_of(project.actor)
        self._shared = (*(box_of(f"{ROLE}{role}") for role in roles), EVERYBODY)
        self._boxes = (self._own, *self._shared)
        self._name = fold_actor(project.actor)
        self._messages = project.rows(MESSAGES)

    def send(self, letter: Letter) -> Message:
        """Send a message. Raises as `send_once` does."""
        return self.send_once(letter, None).message

    def send_once(self, letter: Letter, key: str | None) -> SentOnce:
        """Send a message, unless the caller sent it under the same idempotency key within a week.

        Raises InvalidInput for a message that is too large, Conflict if the key was used for another letter, and
        LimitExceeded if an inbox is full or the sender sends too many.
        """
        # Imported here because only senders need it: it loads the search document of a message.
        from almanac.families.team.messages.delivery import look_up_key, plan_message, redact_letter

        redacted, findings = redact_letter(letter)

        def attempt() -> SentOnce:
            at = self._project.now()
            under = look_up_key(self._project, redacted, key, at) if key is not None else None
            if under is not None and under.sent is not None:
                return SentOnce(under.sent, replayed=True)
            sending = plan_message(self._project, redacted, at=at, findings=findings)
            changes = [*sending.changes, *([under.change(sending.message.id)] if under is not None else [])]
            self._project.store.write(changes)
            return SentOnce(sending.message, replayed=False)

        return self._project.retry_on_conflict(attempt)

    def read(self, wanted: InboxFilter, *, limit: int, position: str, wait_ms: int = 0) -> MailPage:
        """Return messages to the caller from a position on, oldest first. A thread includes messages that the caller
        sent. Waits up to `wait_ms` for the first message."""
        from almanac.kernel.blocking_call import pause_call

        waited, settling, heads = 0, 0, self._heads() if wait_ms else []
        while True:
            page = self._page(wanted, limit, position)
            if page.received or page.truncated:
                return page
            while True:
                pause = min(_LOOK_MS, wait_ms - waited)
                if pause <= 0:
                    return page
                with pause_call() as has_room:
                    if not has_room:
                        return page
                    self._project.backoff.sleep(pause / 1000)
                waited += pause
                if (now := self._heads()) != heads:
                    heads, settling = now, 0 if wanted.unread_only else _SETTLING_LOOKS
                    break
                if settling:
                    settling -= 1
                    break

    def acknowledge(self, message_id: str) -> AcknowledgementResult:
        """Acknowledge a message. Only the first of several calls counts. Raises NotFound for a message that was not
        sent to the caller."""
        rows, actor = self._project.rows(ACKNOWLEDGEMENTS), self._name

        def attempt() -> AcknowledgementResult:
            message = self._messages.get(message_id)
            if message is None or not self._is_addressed(message):
                raise NotFound(f"You have no message {message_id[:80]}.", "read_inbox lists your messages.")
            if (before := rows.get(actor, message_id)) is not None:
                return AcknowledgementResult(message, before.at, already=True)
            now = self._project.now()
            left = [box for box in message.waiting if box not in self._boxes]
            acknowledged = altered(message, waiting=left, remind_at=message.remind_at if left else None)
            payload = _payload(message) | {"acknowledged_by": self._project.actor}
            changes: list[Change] = [
                rows.insert(Acknowledgement(actor=actor, message=message_id, at=now)),
                *self._removal_changes(message),
                *outbox([self._project.event("message_acknowledged", message_id, payload, at=now)]),
            ]
            if left != message.waiting:
                changes.append(replace(self._messages, acknowledged))
            self._project.store.write(changes)
            return AcknowledgementResult(acknowledged, now, already=False)

        result = self._project.retry_on_conflict(attempt)
        if not result.already:
            self._raise_floors([box for box in self._shared if box in result.message.boxes])
        return result

    def _removal_changes(self, message: Message) -> list[Change]:
        """Return the changes that take a message out of the caller's own inbox."""
        number = message.boxes.get(self._own)
        if number is None:
            return []
        unread, inboxes = self._project.rows(UNREAD), self._project.rows(INBOXES)
        read = InboxMessage(box=self._own, number=number, message=message.id, sender=fold_actor(message.sender))
        return [
            unread.delete(self._own, number, condition=Present()),
            self._project.rows(ACKNOWLEDGED).insert(read),
            Update(inboxes.key(self._own), add={"unread": -1, "version": 1}),
        ]

    def _raise_floors(self, boxes: Sequence[str]) -> None:
        """Store the number up to which a shared inbox has nothing unread, so that later reads begin there."""
        before = self._floors()
        floors = dict(before)
        for box in boxes:
            some = list(islice(self._list_delivered(self._project.rows(UNREAD), box, floors), _AT_ONCE))
            acknowledged = self._acknowledged_ids([each.message for each in some])
            for each in some:
                if each.message not in acknowledged and each.sender != self._name:
                    break
                floors[box] = each.number
        if floors != before:
            # Concurrent calls may lower a floor again. Then the next read only examines more.
            self._project.store.write([self._project.rows(FLOORS).put(SharedFloors(actor=self._name, floors=floors))])

    def _floors(self) -> Mapping[str, int]:
        found = self._project.rows(FLOORS).get(self._name)
        return {} if found is None else found.floors

    def _is_addressed(self, message: Message) -> bool:
        """Return whether the message was sent to the caller. Mail to a shared inbox does not count for its own
        sender."""
        return self._own in message.boxes or (
            fold_actor(message.sender) != self._name and any(box in message.boxes for box in self._shared)
        )

    def _heads(self) -> list[int]:
        found = self._project.rows(INBOXES).get_many([(box,) for box in self._boxes])
        return [0 if each is None else each.last for each in found]

    def _page(self, wanted: InboxFilter, limit: int, position: str) -> MailPage:
        if wanted.thread is not None and not wanted.unread_only:
            return self._thread(wanted.thread, limit, position)
        positions = msgspec.json.decode(position, type=dict[str, int]) if position else {}
        if wanted.unread_only:
            floors = self._floors()
            positions = {box: max(positions.get(box, 0), floors.get(box, 0)) for box in self._boxes}
        received: list[ReceivedMessage] = []
        seen: set[str] = set()
        size = 0
        found = self._read_content(self._inbox(wanted, positions), wanted, min(limit + 1, _AT_ONCE))
        for looked, (delivered, one) in enumerate(found, 1):
            if one is not None and one.message.id not in seen and wanted.thread in (None, one.message.thread):
                size += len(one.message.body.encode())
                if len(received) == limit or (received and size > PAGE_BYTES):
                    return MailPage(received, True, _encode_positions(positions))
                received.append(one)
                seen.add(one.message.id)
            positions[delivered.box] = delivered.number
            if looked == _MOST_LOOKED_AT:
                return MailPage(received, True, _encode_positions(positions))
        return MailPage(received, False, _encode_positions(positions))

    def _thread(self, thread: str, limit: int, position: str) -> MailPage:
        """Return a page of a thread by message id, including messages that the caller sent."""
        found = self._messages.every(thread, since=f"{position}0" if position else None, index="gsi1", page=_AT_ONCE)
        page = bounded_page(
            self._with_state(found),
            lambda one: self._is_addressed(one.message) or fold_actor(one.message.sender) == self._name,
            limit=limit,
            most_read=_MOST_LOOKED_AT,
            size_of=lambda one: len(one.message.body.encode()),
            most_bytes=PAGE_BYTES,
        )
        return MailPage(page.rows, page.following is not None, page.last.message.id if page.last else position)

    def _inbox(self, wanted: InboxFilter, positions: Mapping[str, int]) -> Iterator[InboxMessage]:
        """Yield the messages in the caller's inboxes, in order. Acknowledged messages leave an actor's own inbox."""
        unread = self._project.rows(UNREAD)
        own = self._list_delivered(unread, self._own, positions)
        if not wanted.unread_only:
            acknowledged = self._list_delivered(self._project.rows(ACKNOWLEDGED), self._own, positions)
            own = heapq.merge(acknowledged, own, key=lambda each: each.number)
        shared = [self._list_delivered(unread, box, positions) for box in self._shared]
        return heapq.merge(own, *shared, key=lambda each: each.message)

    def _list_delivered(
        self, rows: Rows[InboxMessage], box: str, positions: Mapping[str, int]
    ) -> Iterator[InboxMessage]:
        return rows.every(box, since=positions.get(box, 0) + 1, page=_AT_ONCE)

    def _read_content(
        self, inbox: Iterator[InboxMessage], wanted: InboxFilter, at_once: int
    ) -> Iterator[tuple[InboxMessage, ReceivedMessage | None]]:
        """Yield delivered messages, read in batches, each with its content. The content is None if `wanted` excludes
        it."""
        while some := list(islice(inbox, at_once)):
            acknowledged = self._acknowledged_ids([each.message for each in some])
            unread = {each.message for each in some if each.box == self._own or each.sender != self._name}
            unread -= acknowledged
            requested = unread if wanted.unread_only else {each.message for each in some}
            messages = self._messages.by_id(sorted(requested))
            for each in some:
                message = messages.get(each.message)
                # Pages may end between two inboxes, so a message in several of them is read only from the reader's own.
                if message is None or (each.box != self._own and self._own in message.boxes):
                    yield each, None
                else:
                    yield each, ReceivedMessage(message, each.message in unread)

    def _with_state(self, messages: Iterator[Message]) -> Iterator[ReceivedMessage]:
        while some := list(islice(messages, _AT_ONCE)):
            acknowledged = self._acknowledged_ids([each.id for each in some])
            for each in some:
                yield ReceivedMessage(each, self._is_addressed(each) and each.id not in acknowledged)

    def _acknowledged_ids(self, ids: Sequence[str]) -> frozenset[str]:
        found = self._project.rows(ACKNOWLEDGEMENTS).get_many([(self._name, one) for one in dict.fromkeys(ids)])
        return frozenset(each.message for each in found if each is not None)


def open_mail(project: Project) -> Mail:
    """Open the mail of a project for its caller, with the caller's roles."""
    from almanac.families.team.core.roles import roles_of

    return Mail(project, roles_of(project.store, project.scope, project.actor))


def announce_unacknowledged(services: Services, scope: Scope) -> int:
    """Announce messages of one project that are not acknowledged in time, once each, and count them. Any number of
    processes may call this at once."""
    project = system_project(services, scope)
    due = project.rows(MESSAGES).every(until=project.now() + 1, index="gsi2")
    return sum(_announce(project, message) for message in due)


def _announce(project: Project, message: Message) -> bool:
    """Announce a message. Returns False if another process acknowledged or announced it meanwhile."""
    if message.remind_at is None:
        return False
    payload = _payload(message) | {"waiting_for": [_address(box) for box in message.waiting]}
    event = project.event("message_unacknowledged", message.id, payload, at=project.now())
    rows = project.rows(MESSAGES)
    reminded = altered(message, remind_at=None, version=message.version + 1)
    try:
        project.store.write([rows.put(reminded, Equals("version", message.version)), *outbox([event])])
    except ConditionFailed:
        return False
    return True


def unacknowledged_addresses(message: Message) -> list[str]:
    """Return the addresses at which no actor has acknowledged the message, as the sender wrote them."""
    return [address for address in message.to if box_of(address) in message.waiting]


def _address(box: str) -> str:
    return box.removeprefix("actor:")


def _payload(message: Message) -> dict[str, object]:
    return {
        "message_id": message.id,
        "thread": message.thread,
        "from": message.sender,
        "to": message.to,
        "subject": message.subject,
        "priority": message.priority,
    }


def _encode_positions(positions: Mapping[str, int]) -> str:
    return msgspec.json.encode(positions).decode()
