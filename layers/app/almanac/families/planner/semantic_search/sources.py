"""Notes and journal entries in the search index, and all search sources of the planner."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from itertools import islice
from typing import TypeVar

from msgspec.structs import replace

from almanac.families.planner.core.documents import Document, DocumentText
from almanac.families.planner.core.journal_records import JOURNAL, JOURNAL_TEXTS, JournalEntry
from almanac.families.planner.core.note_records import NOTE_TEXTS, NOTE_VERSIONS, NOTES, Note
from almanac.families.planner.semantic_search.cards import CARD_SOURCE
from almanac.families.planner.texts.labels import mood_key, tag_key
from almanac.kernel.caller import Scope
from almanac.kernel.instants import milliseconds
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.records import Table
from almanac.search.port import Document as Searched
from almanac.search.source import ChangedSince, KnownThen, ReadThen, Source

NOTE_KIND, ENTRY_KIND = "note", "journal"
ROOTS_FIELD = "roots"
DAY_MS = 86_400_000
_EPOCH = date(1970, 1, 1).toordinal()
_MOST_CHANGED = 200
_AT_ONCE = 32
"""Documents per read. At 100 kB each, their texts stay within the limit of one store read."""

D = TypeVar("D", bound=Document)
X = TypeVar("X", bound=DocumentText)


def note_document(note: Note, body: str) -> Searched:
    return _document(note, NOTE_KIND, body, note.tags, {"parent": note.parent_id or ROOTS_FIELD}, note.updated_at)


def entry_document(entry: JournalEntry, body: str) -> Searched:
    fields = {"mood": mood_key(entry.mood)} if entry.mood else {}
    labels = (entry.mood, *entry.tags) if entry.mood else entry.tags
    return _document(entry, ENTRY_KIND, body, labels, fields, day_ms(date.fromisoformat(entry.day)))


def day_ms(day: date) -> int:
    """Return the sort key of a day in the journal: the beginning of that day in UTC, in ms since 1970."""
    return milliseconds(datetime.combine(day, time(), UTC))


def day_of_ms(at: int) -> date:
    return date.fromordinal(_EPOCH + at // DAY_MS)


def _document(
    document: Document, kind: str, body: str, labels: Sequence[str], fields: Mapping[str, str], at: int
) -> Searched:
    return Searched(
        id=document.id,
        kind=kind,
        profile="documents",
        version=document.version,
        title=document.title,
        text="\n".join((body, " ".join(labels))) if labels else body,
        at=at,
        tags=tuple(map(tag_key, document.tags)),
        fields=fields,
    )


def _source(
    kind: str,
    records: Table[D],
    texts: Table[X],
    searched: Callable[[D, str], Searched],
    then: ReadThen,
    changed: ChangedSince | None = None,
) -> Source:
    def read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Searched]:
        store = services.get(Store)
        found = records.within(store, scope).by_id(ids)
        bodies = texts.within(store, scope).by_id(found)
        return [searched(one, bodies[one.id].body if one.id in bodies else "") for one in found.values()]

    def every(services: Services, scope: Scope, after: str) -> Iterator[Searched]:
        rows = records.within(services.get(Store), scope)
        # Appending "0" gives the smallest id that sorts after this one.
        for some in _in_batches(rows.every(since=f"{after}0" if after else None, page=_AT_ONCE)):
            yield from read(services, scope, [one.id for one in some])

    return Source(kind=kind, profile="documents", read=read, every=every, then=then, changed=changed)


def _notes_then(services: Services, scope: Scope, ids: Sequence[str], as_of: int) -> KnownThen:
    """Return the notes as they were at `as_of`, from the stored versions."""
    store = services.get(Store)
    found, lost = list[Searched](), list[str]()
    notes = NOTES.within(store, scope).by_id(ids)
    bodies = NOTE_TEXTS.within(store, scope).by_id(notes)
    for note in notes.values():
        if note.created_at > as_of:
            continue
        if note.updated_at <= as_of:
            found.append(note_document(note, bodies[note.id].body if note.id in bodies else ""))
            continue
        kept = NOTE_VERSIONS.within(store, scope).every(note.id, reverse=True)
        then = next((each for each in kept if each.updated_at <= as_of), None)
        if then is None:
            lost.append(note.id)
        else:
            was = replace(note, title=then.title, tags=then.tags, updated_at=then.updated_at)
            found.append(note_document(was, then.body))
    return KnownThen(found, lost)


def _notes_changed(services: Services, scope: Scope, as_of: int) -> list[str]:
    versions = NOTE_VERSIONS.within(services.get(Store), scope)
    found = versions.query(index="gsi1", since=as_of + 1, limit=_MOST_CHANGED).records
    return list(dict.fromkeys(each.note for each in found))


def _entries_then(services: Services, scope: Scope, ids: Sequence[str], as_of: int) -> KnownThen:
    store = services.get(Store)
    known = [each for each in JOURNAL.within(store, scope).by_id(ids).values() if each.created_at <= as_of]
    same = [each for each in known if each.updated_at <= as_of]
    bodies = JOURNAL_TEXTS.within(store, scope).by_id(each.id for each in same)
    documents = [entry_document(each, bodies[each.id].body if each.id in bodies else "") for each in same]
    return KnownThen(documents, [each.id for each in known if each.updated_at > as_of])


def _in_batches(documents: Iterator[D]) -> Iterator[list[D]]:
    while batch := list(islice(documents, _AT_ONCE)):
        yield batch


SOURCES = (
    _source(NOTE_KIND, NOTES, NOTE_TEXTS, note_document, _notes_then, _notes_changed),
    _source(ENTRY_KIND, JOURNAL, JOURNAL_TEXTS, entry_document, _entries_then),
    CARD_SOURCE,
)
