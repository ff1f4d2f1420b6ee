"""Parked events: seeing them and sending them again."""

from msgspec import Struct, structs

from almanac.kernel.clock import Clock
from almanac.platform.bus.messages import Message, decode_message
from almanac.platform.bus.outbox import post
from almanac.platform.bus.records import Parked, from_attributes, parked_key, parked_of
from almanac.platform.store.conditions import Equals
from almanac.platform.store.expiry import milliseconds
from almanac.platform.store.keys import sort_prefix
from almanac.platform.store.port import ConditionFailed, Delete, Store


class ParkedEvent(Struct, frozen=True):
    parked: Parked
    message: Message


class ParkedPage(Struct, frozen=True):
    """The oldest events first; `cursor` is None on the last page."""

    events: tuple[ParkedEvent, ...]
    cursor: str | None


def parked_events(store: Store, tenant: str, *, limit: int = 100, cursor: str | None = None) -> ParkedPage:
    """A tenant's parked events, 1 to 1000 a page; raises InvalidInput for a cursor of another query."""
    page = store.query(parked_of(tenant), limit=limit, cursor=cursor)
    found = [from_attributes(item.attributes, Parked) for item in page.items]
    return ParkedPage(tuple(ParkedEvent(each, decode_message(each.message)) for each in found), page.cursor)


def parked_reactions(store: Store, tenant: str, event_id: str) -> list[ParkedEvent]:
    """One event, by each of the reactions that gave up on it."""
    page = store.query(parked_of(tenant), prefix=sort_prefix(event_id))
    found = [from_attributes(item.attributes, Parked) for item in page.items]
    return [ParkedEvent(each, decode_message(each.message)) for each in found]


def retry(store: Store, clock: Clock, parked_event: ParkedEvent) -> bool:
    """Sends the event once more to the reaction that gave up on it, with new attempts; it is parked no longer.

    False where somebody else has done so meanwhile.
    """
    parked, event = parked_event.parked, parked_event.message.event
    now = milliseconds(clock)
    again = structs.replace(parked_event.message, reaction=parked.reaction, retried_at=now)
    stands = Equals("parked_at", parked.parked_at)
    try:
        store.write([Delete(parked_key(event.tenant, event.id, parked.reaction), stands), *post([again])])
    except ConditionFailed:
        return False
    return True
