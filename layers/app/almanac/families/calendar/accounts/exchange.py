"""Import and export of whole calendars as iCalendar text."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from almanac.content.redaction import SecretFinding
from almanac.families.calendar.accounts.shadow import Alteration, Shadow, batches, write_batch
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.unreadable_events import describe_partial
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.entries.writer import Author
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instances import is_too_dense
from almanac.families.calendar.model.located_ids import make_located_id
from almanac.families.calendar.model.supersession import raise_sequences
from almanac.families.calendar.texts.secrets import redact_event
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Forbidden, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change, ConditionFailed, Store

_TOGETHER = 50
_TRIES = 8


class Tasks(Protocol):
    """Store of the state of to-dos, which the calendar does not keep."""

    def changes_for(self, event: Event) -> Sequence[Change]:
        """Return the changes to write together with an imported to-do."""
        ...

    def with_state(self, event: Event) -> Event:
        """Return the to-do with its current state."""
        ...


class ImportReport(Struct, frozen=True):
    """Result of an import.

    `written` events were new or different, `todos` of them to-dos; `unchanged` ones were already stored. `removed`
    exceptions have no place in the new text of their series. `problems` name entries that could not be read, `partial`
    those read only in part, `left_out` events with parts too large to store, `dense` series that repeat too often to
    expand and block all of their time. `redacted` counts events whose secrets were removed.
    """

    written: int
    unchanged: int
    problems: tuple[str, ...] = ()
    dense: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    todos: int = 0
    removed: int = 0
    redacted: int = 0


class CalendarExport(Struct, frozen=True):
    """Exported text. `left_out` and `partial` name the parts that were not stored or could not be read on import."""

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
    """Store the events and to-dos of an iCalendar text in a native calendar, without secrets.

    Importing the same text again changes nothing. An event with the same UID is replaced, and exceptions older than
    their new series are removed. Overlaps are not refused, because imported events are already agreed. Events that one
    of the `owner_addresses` declined take no time. `on_progress` receives the number of stored events and their total.
    Raises InvalidInput for a text that is not iCalendar, Forbidden for a calendar at a provider.
    """
    from almanac.families.calendar.ical.parser import read_events  # noqa: PLC0415 - icalendar takes 130 ms to import

    calendar = calendars.find(calendar_id)
    if not calendar.is_native:
        raise Forbidden(
            f"The calendar {calendar.id} belongs to its provider: nothing can be imported into it here.",
            "Import the file at the provider; its events then appear here.",
        )
    calendar = calendars.writable(calendar_id)
    read = read_events(text, calendar.zone, owner_addresses=owner_addresses, todos=True)
    pairs = [redact_event(event) for event in read.events]
    events = [event for event, _ in pairs]
    findings = {event.id: found for event, found in pairs if found}
    filing = _Filing(calendars, calendar_id, Author(actor, calendars.now(), random_bytes), events, findings, tasks)
    written = removed = 0
    for begin in range(0, len(events), _TOGETHER):
        part = events[begin : begin + _TOGETHER]
        filed = filing.file(part)
        written, removed = written + filed[0], removed + filed[1]
        if on_progress is not None:
            on_progress(begin + len(part), len(events))
    dense = (event for event in events if event.is_series and is_too_dense(event, calendar.zone))
    return ImportReport(
        written,
        len(events) - written,
        read.problems,
        tuple(event.summary or event.uid for event in dense),
        partial=tuple(describe_partial(event) for event in events if event.partial),
        left_out=_left_out(events),
        todos=sum(event.todo is not None for event in events),
        removed=removed,
        redacted=len(findings),
    )


def export_text(calendars: Calendars, calendar_id: str, tasks: Tasks | None = None) -> CalendarExport:
    """Return all events of a calendar as iCalendar text. A calendar at a provider is pulled first."""
    from almanac.families.calendar.ical.writer import write_events  # noqa: PLC0415 - as above

    calendar = calendars.readable(calendar_id)
    events = calendars.events(calendars.find(calendar.id))
    if tasks is not None:
        events = [tasks.with_state(event) if event.todo is not None else event for event in events]
    if calendar.is_native:
        events = raise_sequences(events, calendar.zone)
    text = write_events(events, name=calendar.name, zone=calendar.timezone)
    partial = tuple(describe_partial(event) for event in events if event.partial)
    return CalendarExport(text, len(events), partial, _left_out(events))


class _Filing(NamedTuple):
    """Import of `events`, part by part. `findings` are the secrets removed from them, by event id."""

    calendars: Calendars
    calendar_id: str
    author: Author
    events: Sequence[Event]
    findings: Mapping[str, Sequence[SecretFinding]]
    tasks: Tasks | None

    def file(self, part: Sequence[Event]) -> tuple[int, int]:
        """Store one part of an import, and return how many events were new or different, and how many it removed."""
        for _ in range(_TRIES):
            calendar = self.calendars.find(self.calendar_id)
            shadow = Shadow(self.calendars, calendar, self.author, among=self.events)
            came = [self._whole(one) for one in shadow.take(part)]
            removed = list(shadow.retire(part))
            try:
                for batch in batches([*came, *removed], spare=1):
                    calendar = write_batch(self.calendars, calendar, batch)
            except ConditionFailed:
                continue  # another writer changed the calendar meanwhile
            return len(came), len(removed)
        raise Unavailable(f"The calendar {self.calendar_id} is being changed by other calls.", "Import the file again.")

    def _whole(self, alteration: Alteration) -> Alteration:
        """Add the state of a to-do, and the record of the secrets removed from the event."""
        event = event_of(alteration.new[0]) if alteration.new else None
        if event is None:
            return alteration
        tasks = self.tasks.changes_for(event) if self.tasks is not None and event.todo is not None else ()
        name, author = make_located_id(self.calendar_id, event.id), self.author
        writer = _Writer(self.calendars.store, self.calendars.scope, author.actor, author.random_bytes)
        lost = redaction_changes(writer, name, "event", self.findings.get(event.id, ()), author.now)
        return replace(alteration, changes=(*alteration.changes, *tasks, *lost))


class _Writer(NamedTuple):
    store: Store
    scope: Scope
    actor: str
    random_bytes: RandomBytes


def _left_out(events: Sequence[Event]) -> tuple[str, ...]:
    return tuple(
        f'"{(event.summary or event.uid)[:60]}": {", ".join(event.left_out)}' for event in events if event.left_out
    )
