"""Whole calendars from and to iCalendar text."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.accounts.shadow import Alteration, Shadow, batches, write_batch
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.unread import partly_read
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.entries.writer import Author
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instances import is_too_dense
from almanac.families.calendar.model.supersession import none_superseded
from almanac.kernel.errors import Forbidden, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.port import Change, ConditionFailed

_TOGETHER = 50
_TRIES = 8


class Tasks(Protocol):
    """Keeps which to-dos are done; the calendar does not."""

    def filed(self, event: Event) -> Sequence[Change]:
        """The changes to write together with an imported to-do."""
        ...

    def told(self, event: Event) -> Event:
        """The to-do with its current state."""
        ...


class ImportReport(Struct, frozen=True):
    """How many events were new or different (of those `todos` are to-dos), how many stood already, and how many
    instances were removed because their series came anew without them. `problems`: what could not be read; `partial`:
    of which only a part could; `left_out`: what was too large to be kept, by event; `dense`: series that repeat too
    often to be written out, which take all of their time."""

    written: int
    unchanged: int
    problems: tuple[str, ...] = ()
    dense: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    todos: int = 0
    removed: int = 0


class Exported(Struct, frozen=True):
    """`left_out` and `partial` are what the text does not hold, because it was not kept, or could not be read, when it
    came."""

    text: bytes
    events: int
    partial: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def import_text(
    calendars: Calendars,
    calendar_id: str,
    text: bytes,
    *,
    actor: str,
    random_bytes: RandomBytes,
    owner_addresses: Collection[str] = (),
    tasks: Tasks | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Files the events and to-dos of an iCalendar text in a native calendar. Importing the same text again changes
    nothing; an event of the same UID is replaced, and what stood for instances of a series goes with it where the
    series is newer. Nobody is asked whether times overlap: what is imported has been agreed.

    What one of the `owner_addresses` declined takes no time. `on_progress` is told how many of how many events are
    filed. Raises InvalidInput for what is no iCalendar text, Forbidden for a calendar that is kept at a provider.
    """
    from almanac.families.calendar.ical.reading import read_events  # noqa: PLC0415 - icalendar takes 130 ms to import

    calendar = calendars.find(calendar_id)
    if not calendar.is_native:
        raise Forbidden(
            f"The calendar {calendar.id} belongs to its provider: nothing can be imported into it here.",
            "Import the file at the provider; its events then appear here.",
        )
    calendar = calendars.writable(calendar_id)
    read = read_events(text, calendar.zone, owner_addresses=owner_addresses, todos=True)
    author = Author(actor, calendars.now(), random_bytes)
    written = removed = 0
    for begin in range(0, len(read.events), _TOGETHER):
        part = read.events[begin : begin + _TOGETHER]
        filed = _filed(calendars, calendar_id, part, author, tasks)
        written, removed = written + filed[0], removed + filed[1]
        if on_progress is not None:
            on_progress(begin + len(part), len(read.events))
    dense = (event for event in read.events if event.is_series and is_too_dense(event, calendar.zone))
    return ImportReport(
        written,
        len(read.events) - written,
        read.problems,
        tuple(event.summary or event.uid for event in dense),
        partial=tuple(partly_read(event) for event in read.events if event.partial),
        left_out=_left_out(read.events),
        todos=sum(event.todo is not None for event in read.events),
        removed=removed,
    )


def export_text(calendars: Calendars, calendar_id: str, tasks: Tasks | None = None) -> Exported:
    """Every event of a calendar as iCalendar text. A calendar at a provider is read first."""
    from almanac.families.calendar.ical.writing import write_events  # noqa: PLC0415 - as above

    calendar = calendars.readable(calendar_id)
    events = calendars.events(calendars.find(calendar.id))
    if tasks is not None:
        events = [tasks.told(event) if event.todo is not None else event for event in events]
    if calendar.is_native:
        events = none_superseded(events, calendar.zone)
    text = write_events(events, name=calendar.name, zone=calendar.timezone)
    partial = tuple(partly_read(event) for event in events if event.partial)
    return Exported(text, len(events), partial, _left_out(events))


def file_events(calendars: Calendars, calendar_id: str, events: Sequence[Event], author: Author) -> int:
    """Puts events in place of those with the same ids, whether times overlap or not; how many were new or different."""
    return _filed(calendars, calendar_id, events, author, None)[0]


def _filed(
    calendars: Calendars, calendar_id: str, events: Sequence[Event], author: Author, tasks: Tasks | None
) -> tuple[int, int]:
    """How many were new or different, and how many are gone because of them."""
    for _ in range(_TRIES):
        calendar = calendars.find(calendar_id)
        shadow = Shadow(calendars, calendar, author)
        came = [_with_task(one, tasks) for one in shadow.take(events)]
        gone = list(shadow.retire(events))
        try:
            for batch in batches([*came, *gone], spare=1):
                calendar = write_batch(calendars, calendar, batch)
        except ConditionFailed:
            continue  # somebody wrote to the calendar meanwhile
        return len(came), len(gone)
    raise Unavailable(f"The calendar {calendar_id} is being changed by other calls.", "Import the file again.")


def _with_task(alteration: Alteration, tasks: Tasks | None) -> Alteration:
    event = event_of(alteration.new[0]) if alteration.new else None
    if tasks is None or event is None or event.todo is None:
        return alteration
    return replace(alteration, changes=(*alteration.changes, *tasks.filed(event)))


def _left_out(events: Sequence[Event]) -> tuple[str, ...]:
    return tuple(
        f'"{(event.summary or event.uid)[:60]}": {", ".join(event.left_out)}' for event in events if event.left_out
    )
