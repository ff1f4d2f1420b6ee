"""The object that every planner tool works with. It serves one project, one caller and one call."""

import copy
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Literal, TypeVar
from zoneinfo import ZoneInfo

from almanac.families.calendar.booking.service import BookingService
from almanac.families.planner.core.item_kinds import ItemKind, Prefix, new_id
from almanac.families.time.core.timestamps import NO_ZONE, zone_among
from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.expressions.context import WeekStart
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import new_event
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.project import ProjectWork
from almanac.platform.store.contention import Backoff, WriteContention, retry_on_conflict
from almanac.platform.store.page_cursors import PageCursors
from almanac.platform.store.port import Change, Store
from almanac.platform.store.records import Record, Rows, Table
from almanac.search.engine.document_writes import document_change, removal_change
from almanac.search.port import Document

R = TypeVar("R", bound=Record)
T = TypeVar("T")

ItemEvent = Literal["item_created", "item_updated", "item_moved", "item_deleted", "item_linked", "item_unlinked"]


class Planner:
    """A project for one caller. `bookings` is the booking service of the calendar, which stores the planner's events.
    `finish_step` runs one step of unfinished work for any kind of item; see `unfinished_work`."""

    def __init__(
        self,
        store: Store,
        caller: Caller,
        *,
        clock: Clock,
        random_bytes: RandomBytes,
        backoff: Backoff,
        bookings: BookingService,
        finish_step: Callable[["Planner", Any], bool],
    ) -> None:
        self.store = store
        self.scope: Scope = caller.scope
        self.actor = caller.actor
        self.is_person = caller.is_person
        self.sees_team = caller.may_use("team")
        self.random_bytes = random_bytes
        self.backoff = backoff
        self.bookings = bookings
        self.finish_step = finish_step
        self.cursors = PageCursors(store, caller.scope, random_bytes)
        self.week_start: WeekStart = "sunday" if caller.week_start == "sunday" else "monday"
        self._clock = clock

    def now(self) -> datetime:
        """Return the time, aware and in UTC."""
        return self._clock.now()

    def now_ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        return now_ms(self._clock)

    def in_zone(self, timezone: str | None, *written: str | None) -> "Planner":
        """Return a copy that reads and shows times in the zone of a call; see `BookingService.in_zone`. Raises
        InvalidInput (code TIMEZONE_NOT_CONFIGURED) if there is none."""
        other = copy.copy(self)
        other.bookings = self.bookings.in_zone(timezone or None, *written)
        return other

    def in_zone_if_any(self, timezone: str | None, *written: str | None) -> "Planner":
        """Return the same as `in_zone`. If there is no zone, return a planner that reads no wall times and shows
        instants in UTC."""
        try:
            return self.in_zone(timezone, *written)
        except InvalidInput as refused:
            if refused.code != NO_ZONE:
                raise
            return self

    @property
    def zone(self) -> ZoneInfo:
        """The zone of the caller's days. Raises as `in_zone`."""
        return zone_among(self.bookings.calendars.default_zone)

    @property
    def zone_if_any(self) -> ZoneInfo | None:
        return self.zone if self.bookings.calendars.default_zone is not None else None

    @property
    def display_zone(self) -> ZoneInfo:
        """The zone in which to show instants: the caller's, or UTC."""
        return self.zone_if_any or UTC_ZONE

    def today(self) -> date:
        return self.now().astimezone(self.zone).date()

    def rows(self, table: Table[R]) -> Rows[R]:
        """Return the project's records of a table."""
        return table.within(self.store, self.scope)

    def work(self) -> ProjectWork:
        """Return the same project for parts of other families."""
        return ProjectWork(self.store, self.scope, self.actor, self._clock, self.random_bytes, self.backoff)

    def retry_on_conflict(self, attempt: Callable[[], T], thing: str = "the item") -> T:
        """Run an attempt with retries, as `contention.retry_on_conflict` does. Raises WriteContention if others keep
        changing `thing`."""
        return retry_on_conflict(self.backoff, attempt, thing, WriteContention)

    def new_id(self, prefix: Prefix) -> str:
        return new_id(prefix, self.now_ms(), self.random_bytes)

    def emit(
        self, kind: ItemEvent, item_kind: ItemKind, item_id: str, payload: Mapping[str, Any] | None = None
    ) -> list[Change]:
        """Return the changes that publish an event about an item. Write them with the change itself."""
        event = new_event(
            kind,
            self.scope,
            key=f"planner/{item_id}",
            actor=self.actor,
            at=self.now_ms(),
            random_bytes=self.random_bytes,
            payload={"item_id": item_id, "item_type": item_kind, **(payload or {})},
        )
        return outbox([event])

    def index_change(self, document: Document) -> Change:
        """Return the change that adds this version to the search index. Write it with the change itself."""
        return document_change(document, self.scope, actor=self.actor, at=self.now_ms(), random_bytes=self.random_bytes)

    def unindex_change(self, document: Document) -> Change:
        """Return the change that removes the document from the search index."""
        return removal_change(document, self.scope, actor=self.actor, at=self.now_ms(), random_bytes=self.random_bytes)
