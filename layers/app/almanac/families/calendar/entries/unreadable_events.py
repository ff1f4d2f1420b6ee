"""Events of a calendar that could be read only in part, or not at all. They are reported until they are gone."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from almanac.content import clean
from almanac.content.redaction import redact
from almanac.families.calendar.entries.records import EVENTS
from almanac.families.calendar.model.events import Event, decode_event
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Change, Store
from almanac.platform.store.records import Record, Table

COUNTED = 100
NAMED = 5
_SAID = 300
_TITLE = 60


class UnreadRecord(Record, frozen=True, kw_only=True):
    """An event of a provider with an unknown time. `said` names it and gives the reason."""

    calendar: str
    id: str
    said: str


UNREAD = Table(UnreadRecord, "calendar_unread", partition=("calendar",), sort=("id",))


class UnreadableCount(Struct, frozen=True):
    """Number of events that were unread or read in part; a lower bound if `more`.

    `named` are sentences about the first of them, with cleaned titles.
    """

    count: int
    more: bool
    named: tuple[str, ...]


class UnreadableEvents:
    """Unreadable events of the calendars of one project."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._rows = UNREAD.within(store, scope)
        self._entries = EVENTS.within(store, scope)

    def count(self, calendar: str, named: int = NAMED) -> UnreadableCount:
        lost = self._rows.query(calendar, limit=COUNTED)
        partly = self._entries.query(calendar, index="gsi1", limit=COUNTED)
        count = len(lost.records) + len(partly.records)
        said = [one.said for one in lost.records[:named]]
        said += [describe_partial(decode_event(one.event)) for one in partly.records[: max(0, named - len(said))]]
        more = lost.cursor is not None or partly.cursor is not None
        return UnreadableCount(count, more, tuple(clean(redact(one).text).text for one in said))

    def unread(self, calendar: str) -> Iterator[str]:
        """Return the ids of all events with an unknown time."""
        return (one.id for one in self._rows.every(calendar, page=1000))

    def changes(self, calendar: str, came: Mapping[str, str], gone: Iterable[str]) -> list[Change]:
        """Return the changes that store new unreadable events (`came`) and delete those that are `gone`."""
        records = [UnreadRecord(calendar=calendar, id=key, said=said[:_SAID]) for key, said in came.items()]
        return [*map(self._rows.put, records), *(self._rows.delete(calendar, key) for key in gone)]


def describe_partial(event: Event) -> str:
    """Return a sentence with the event's name and the parts of it that could not be read."""
    title = (event.summary or event.uid)[:_TITLE]
    return f'"{title}" was read in part: {"; ".join(event.partial)}.'[:_SAID]
