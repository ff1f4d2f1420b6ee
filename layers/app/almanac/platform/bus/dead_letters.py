"""Dead letters, which are events that a reaction gave up on: list them and send them again."""

from collections.abc import Sequence

from msgspec import Struct, structs

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.messages import Message, decode_message
from almanac.platform.bus.outbox import post
from almanac.platform.bus.records import DEAD_LETTERS, DeadLetterRecord, dead_letter_key
from almanac.platform.store.conditions import Equals
from almanac.platform.store.keys import Partition, sort_prefix
from almanac.platform.store.port import ConditionFailed, Delete, Item, Store
from almanac.platform.store.records import readable


class DeadLetter(Struct, frozen=True):
    record: DeadLetterRecord
    message: Message


class DeadLetterPage(Struct, frozen=True):
    """Dead letters, oldest first. `cursor` is None on the last page.

    `unreadable` are the keys of items in the partition that are not valid dead letters.
    """

    events: tuple[DeadLetter, ...]
    cursor: str | None
    unreadable: tuple[str, ...] = ()


def dead_letters(store: Store, tenant: str, *, limit: int = 100, cursor: str | None = None) -> DeadLetterPage:
    """Return a page of 1 to 1000 of a tenant's dead letters. Raises InvalidInput for a cursor of another query."""
    page = store.query(_partition(tenant), limit=limit, cursor=cursor)
    letters, unreadable = _split_readable(page.items)
    return DeadLetterPage(tuple(letters), page.cursor, tuple(unreadable))


def dead_letters_of_event(store: Store, tenant: str, event_id: str) -> list[DeadLetter]:
    """Return the dead letters of one event, one for each reaction that gave up on it."""
    return _split_readable(store.query(_partition(tenant), prefix=sort_prefix(event_id)).items)[0]


def retry(store: Store, clock: Clock, letter: DeadLetter) -> bool:
    """Send the event to the reaction that gave up on it, with new attempts, and delete the dead letter.

    Return False if another process has done so meanwhile.
    """
    record, event = letter.record, letter.message.event
    message = structs.replace(letter.message, reaction=record.reaction, retried_at=now_ms(clock))
    unchanged = Equals("parked_at", record.parked_at)
    try:
        store.write([Delete(dead_letter_key(event, record.reaction), unchanged), *post([message])])
    except ConditionFailed:
        return False
    return True


def _partition(tenant: str) -> Partition:
    return DEAD_LETTERS.partition(Scope(tenant, ""), DEAD_LETTERS.own, ())


def _split_readable(items: Sequence[Item]) -> tuple[list[DeadLetter], list[str]]:
    read = [(item, readable(item, _read)) for item in items]
    return [one for _, one in read if one is not None], [
        f"{item.key.partition.text} {item.key.sort}" for item, one in read if one is None
    ]


def _read(item: Item) -> DeadLetter:
    record = DEAD_LETTERS.read(item)
    return DeadLetter(record, decode_message(record.message))
