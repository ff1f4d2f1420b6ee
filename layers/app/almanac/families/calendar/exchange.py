"""Whole calendars from and to iCalendar text."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.families.calendar.calendars import Calendars
from almanac.families.calendar.events import Event
from almanac.families.calendar.filing import Author
from almanac.families.calendar.instances import is_too_dense
from almanac.families.calendar.shadow import Shadow, batches, write_batch
from almanac.kernel.errors import Forbidden, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.port import ConditionFailed

_TOGETHER = 50
_TRIES = 8


class ImportReport(Struct, frozen=True):
    """How many events were new or different, how many stood already, which could not be read, and which series repeat
    too often to be written out: those take all of their time."""

    written: int
    unchanged: int
    problems: tuple[str, ...] = ()
    dense: tuple[str, ...] = ()


def import_text(
    calendars: Calendars,
    calendar_id: str,
    text: bytes,
    *,
    actor: str,
    random_bytes: RandomBytes,
    on_progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Files the events of an iCalendar text in a native calendar. Importing the same text again changes nothing; an
    event of the same UID is replaced. Nobody is asked whether times overlap: what is imported has been agreed.

    `on_progress` is told how many of how many events are filed. Raises InvalidInput for what is no iCalendar text,
    Forbidden for a calendar that is kept at a provider.
    """
    from almanac.families.calendar.ical.reading import read_events  # noqa: PLC0415 - icalendar takes 130 ms to import

    calendar = calendars.find(calendar_id)
    if not calendar.is_native:
        raise Forbidden(
            f"The calendar {calendar.id} is kept by its provider.", "Import the file there; its events then show here."
        )
    calendar = calendars.writable(calendar_id)
    read = read_events(text, calendar.zone)
    author = Author(actor, calendars.now(), random_bytes)
    written = 0
    for begin in range(0, len(read.events), _TOGETHER):
        part = read.events[begin : begin + _TOGETHER]
        written += file_events(calendars, calendar_id, part, author)
        if on_progress is not None:
            on_progress(begin + len(part), len(read.events))
    dense = tuple(
        event.summary or event.uid for event in read.events if event.is_series and is_too_dense(event, calendar.zone)
    )
    return ImportReport(written, len(read.events) - written, read.problems, dense)


def export_text(calendars: Calendars, calendar_id: str) -> tuple[bytes, int]:
    """Every event of a calendar as iCalendar text, and how many they are. A calendar at a provider is read first."""
    from almanac.families.calendar.ical.writing import write_events  # noqa: PLC0415 - as above

    calendar = calendars.readable(calendar_id)
    events = calendars.events(calendars.find(calendar.id))
    return write_events(events, name=calendar.name, zone=calendar.timezone), len(events)


def file_events(calendars: Calendars, calendar_id: str, events: Sequence[Event], author: Author) -> int:
    """Puts events in place of those with the same ids, whether times overlap or not; how many were new or different."""
    for _ in range(_TRIES):
        calendar = calendars.find(calendar_id)
        alterations = list(Shadow(calendars, calendar, author).take(events))
        try:
            for batch in batches(alterations, spare=1):
                calendar = write_batch(calendars, calendar, batch)
        except ConditionFailed:
            continue  # somebody wrote to the calendar meanwhile
        return len(alterations)
    raise Unavailable(f"The calendar {calendar_id} is being changed all the time.", "Import the file again.")
