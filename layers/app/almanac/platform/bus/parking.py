"""Parked events: seeing them and sending them again."""

from msgspec import Struct, structs

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.messages import Message, decode_message
from almanac.platform.bus.outbox import post
from almanac.platform.bus.records import PARKED, Parked, parked_key
from almanac.platform.store.conditions import Equals
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
    page = PARKED.within(store, Scope(tenant, "")).query(limit=limit, cursor=cursor)
    return ParkedPage(tuple(map(_read, page.records)), page.cursor)


def parked_reactions(store: Store, tenant: str, event_id: str) -> list[ParkedEvent]:
    """One event, by each of the reactions that gave up on it."""
    return list(map(_read, PARKED.within(store, Scope(tenant, "")).query(event_id).records))


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


def _read(parked: Parked) -> ParkedEvent:
    return ParkedEvent(parked, decode_message(parked.message))
