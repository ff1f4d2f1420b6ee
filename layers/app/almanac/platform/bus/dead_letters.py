"""Parked events: seeing them and sending them again."""

from collections.abc import Sequence

from msgspec import Struct, structs

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.messages import Message, decode_message
from almanac.platform.bus.outbox import post
from almanac.platform.bus.records import PARKED, Parked, parked_key
from almanac.platform.store.conditions import Equals
from almanac.platform.store.keys import Partition, sort_prefix
from almanac.platform.store.port import ConditionFailed, Delete, Item, Store
from almanac.platform.store.records import readable


class ParkedEvent(Struct, frozen=True):
    parked: Parked
    message: Message


class ParkedPage(Struct, frozen=True):
    """The oldest events first; `cursor` is None on the last page. `unreadable` are the names of items among them that
    are no parked events, whoever wrote them."""

    events: tuple[ParkedEvent, ...]
    cursor: str | None
    unreadable: tuple[str, ...] = ()


def parked_events(store: Store, tenant: str, *, limit: int = 100, cursor: str | None = None) -> ParkedPage:
    """A tenant's parked events, 1 to 1000 a page; raises InvalidInput for a cursor of another query."""
    page = store.query(_dead_letters_of(tenant), limit=limit, cursor=cursor)
    found, unreadable = _sorted_out(page.items)
    return ParkedPage(tuple(found), page.cursor, tuple(unreadable))


def parked_reactions(store: Store, tenant: str, event_id: str) -> list[ParkedEvent]:
    """One event, by each of the reactions that gave up on it."""
    return _sorted_out(store.query(_dead_letters_of(tenant), prefix=sort_prefix(event_id)).items)[0]


def retry(store: Store, clock: Clock, parked_event: ParkedEvent) -> bool:
    """Sends the event once more to the reaction that gave up on it, with new attempts; it is parked no longer.

    False where somebody else has done so meanwhile.
    """
    parked, event = parked_event.parked, parked_event.message.event
    now = now_ms(clock)
    again = structs.replace(parked_event.message, reaction=parked.reaction, retried_at=now)
    stands = Equals("parked_at", parked.parked_at)
    try:
        store.write([Delete(parked_key(event, parked.reaction), stands), *post([again])])
    except ConditionFailed:
        return False
    return True


def _dead_letters_of(tenant: str) -> Partition:
    return PARKED.partition(Scope(tenant, ""), PARKED.own, ())


def _sorted_out(items: Sequence[Item]) -> tuple[list[ParkedEvent], list[str]]:
    read = [(item, readable(item, _read)) for item in items]
    return [one for _, one in read if one is not None], [
        f"{item.key.partition.text} {item.key.sort}" for item, one in read if one is None
    ]


def _read(item: Item) -> ParkedEvent:
    parked = PARKED.read(item)
    return ParkedEvent(parked, decode_message(parked.message))
