"""What every planner tool works with: one project's planner on behalf of one caller, for one call."""

import copy
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from almanac.families.calendar.booking.service import BookingService
from almanac.families.planner.core.item_kinds import ItemKind, Prefix, new_id
from almanac.families.time.core.timestamps import zone_among
from almanac.families.time.expressions.context import WeekStart
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.events import new_event
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.contention import Contended, Patience
from almanac.platform.store.page_cursors import PageCursors
from almanac.platform.store.port import Change, Store

ItemEvent = Literal["item_created", "item_updated", "item_moved", "item_deleted", "item_linked", "item_unlinked"]


class Planner:
    """`bookings` is the calendar's: the planner's events are those of the native calendar "primary".

    `finish_step` takes one step of what a change left to be done (see `unfinished`), for every kind of item.
    """

    def __init__(
        self,
        store: Store,
        caller: Caller,
        *,
        clock: Clock,
        random_bytes: RandomBytes,
        bookings: BookingService,
        finish_step: Callable[["Planner", Any], bool],
    ) -> None:
        self.store = store
        self.scope: Scope = caller.scope
        self.actor = caller.actor
        self.random_bytes = random_bytes
        self.bookings = bookings
        self.finish_step = finish_step
        self.cursors = PageCursors(store, caller.scope, random_bytes)
        self.week_start: WeekStart = "sunday" if caller.week_start == "sunday" else "monday"
        self._clock = clock

    def now(self) -> datetime:
        """Aware, in UTC."""
        return self._clock.now()

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return now_ms(self._clock)

    def in_zone(self, timezone: str | None) -> "Planner":
        """The same for a call that names its zone, or leaves it to the caller's. Raises InvalidInput where there is
        none (code TIMEZONE_NOT_CONFIGURED)."""
        other = copy.copy(self)
        other.bookings = self.bookings.in_zone(timezone or None)
        return other

    @property
    def zone(self) -> ZoneInfo:
        """In which the caller's days are read and told. Raises as `in_zone`."""
        return zone_among(self.bookings.calendars.default_zone)

    def today(self) -> date:
        return self.now().astimezone(self.zone).date()

    def patience(self, thing: str = "the calendar") -> Patience:
        """With others who change `thing`. Raises Contended when it ends."""
        return self.bookings.patience(thing, Contended)

    def new_id(self, prefix: Prefix) -> str:
        return new_id(prefix, self.now_ms(), self.random_bytes)

    def tell(
        self, kind: ItemEvent, item_kind: ItemKind, item_id: str, payload: Mapping[str, Any] | None = None
    ) -> list[Change]:
        """The changes that announce what happened to an item, to go into the same write as the change itself."""
        happened = new_event(
            kind,
            self.scope,
            key=f"planner/{item_id}",
            actor=self.actor,
            at=self.now_ms(),
            random_bytes=self.random_bytes,
            payload={"item_id": item_id, "item_type": item_kind, **(payload or {})},
        )
        return outbox([happened])
