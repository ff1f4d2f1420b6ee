"""Events that come from outside, by import or by sync, into a calendar."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.desk import Desk
from almanac.families.calendar.entries import shown_entry
from almanac.families.calendar.events import Event
from almanac.families.calendar.filing import Filing
from almanac.families.calendar.instances import Repetition, instances, interval_of
from almanac.families.calendar.records import POINTERS, CalendarRecord, PlaceInCalendar, Pointer
from almanac.families.calendar.view import Shown
from almanac.kernel.errors import AlmanacError
from almanac.platform.store.port import Change, ConditionFailed

_BATCH = 24
"""Events of one write: each is up to three changes, and a write has at most 100."""
_YEAR = 366 * 86_400_000


class Merged(Struct, frozen=True, kw_only=True):
    """What a merge did. `orphans` are events at the provider of bookings that were taken back here: to be deleted
    there. `refused` says by id why an event was left out. `waiting` are under way here, and left for the next merge."""

    written: int
    removed: int
    orphans: tuple[str, ...] = ()
    refused: dict[str, str] = {}
    waiting: tuple[str, ...] = ()


def merge(desk: Desk, calendar_id: str, events: Sequence[Event], removed_ids: Sequence[str] = ()) -> Merged:
    """Writes events in place of those with the same ids, and takes out `removed_ids`.

    Outside events may overlap anything: they have happened already. Series whose rule cannot be expanded are refused.
    Readers see each batch of 24 events at once.
    """
    good, refused = _checked(desk.calendars.find(calendar_id), events)
    orphans: list[str] = []
    waiting: list[str] = []
    written = removed = 0
    work: list[tuple[str, Event | None]] = [(event.id, event) for event in good.values()]
    work += [(key, None) for key in dict.fromkeys(removed_ids) if key not in good]
    for start in range(0, len(work), _BATCH):
        batch = _write_batch(desk, calendar_id, dict(work[start : start + _BATCH]))
        written, removed = written + batch.written, removed + batch.removed
        orphans += batch.orphans
        waiting += batch.waiting
    return Merged(written=written, removed=removed, orphans=tuple(orphans), refused=refused, waiting=tuple(waiting))


def _checked(calendar: CalendarRecord, events: Sequence[Event]) -> tuple[dict[str, Event], dict[str, str]]:
    good: dict[str, Event] = {}
    refused: dict[str, str] = {}
    for event in events:
        try:
            start = interval_of(event, calendar.zone).start
            if event.is_series:
                series = Repetition(event, calendar.zone, frozenset(), frozenset())
                for _ in instances(series, Interval(start, start + _YEAR)):
                    pass
        except (AlmanacError, OverflowError) as problem:
            refused[event.id] = str(problem)
        else:
            good[event.id] = event
    return good, refused


def _write_batch(desk: Desk, calendar_id: str, batch: dict[str, Event | None]) -> Merged:
    calendar = desk.calendars.stored(calendar_id)
    patience = desk.patience()
    while True:
        calendar = desk.calendars.find(calendar.id) if patience.next_attempt() else calendar
        pointers = _pointers(desk, calendar, list(batch))
        planned = _Plan(desk.filing(calendar))
        for key, event in batch.items():
            planned.take(key, event, pointers.get(key))
        if not planned.changes:
            return planned.outcome()
        try:
            desk.calendars.write(calendar, planned.changes, gone=planned.gone, new=planned.new)
        except ConditionFailed:
            continue
        return planned.outcome()


def _pointers(desk: Desk, calendar: CalendarRecord, keys: list[str]) -> dict[str, Pointer]:
    rows = POINTERS.within(desk.calendars.store, desk.calendars.scope)
    found = rows.get_many([(calendar.id, key) for key in keys])
    return {key: pointer for key, pointer in zip(keys, found, strict=True) if pointer is not None}


class _Plan:
    """The changes of one batch."""

    def __init__(self, filing: Filing) -> None:
        self._filing = filing
        self.changes: list[Change] = []
        self.gone: list[PlaceInCalendar] = []
        self.new: list[Shown] = []
        self._written = self._removed = 0
        self._orphans: list[str] = []
        self._waiting: list[str] = []

    def take(self, key: str, event: Event | None, pointer: Pointer | None) -> None:
        if pointer is not None and pointer.operation is not None:
            self._waiting.append(key)
            return
        stands = pointer if pointer is not None and pointer.state == "stands" else None
        if event is None:
            self._take_out(stands)
        elif pointer is not None and pointer.state == "undone":
            self._orphans.append(key)
        else:
            self._put(event, stands)

    def _take_out(self, stands: Pointer | None) -> None:
        if stands is not None:
            self.changes += [self._filing.leave(stands.place), self._filing.forget(stands.id)]
            self.gone.append(stands.place)
            self._removed += 1

    def _put(self, event: Event, stands: Pointer | None) -> None:
        entry = self._filing.entry(event)
        by = stands.booked_by if stands is not None else None
        self.changes += self._filing.stand(entry, by, instead_of=stands.place if stands is not None else None)
        self.new.append(shown_entry(entry))
        self.gone += [stands.place] if stands is not None else []
        self._written += 1

    def outcome(self) -> Merged:
        return Merged(
            written=self._written,
            removed=self._removed,
            orphans=tuple(self._orphans),
            waiting=tuple(self._waiting),
        )
