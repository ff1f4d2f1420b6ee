"""Writing, reading, editing and deleting journal entries."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.content import clean
from almanac.content.redaction import SecretFinding
from almanac.families.planner.core.item_kinds import LOG
from almanac.families.planner.core.journal_records import JOURNAL, JOURNAL_TEXTS, JournalEntry, JournalText
from almanac.families.planner.core.planner import ItemEvent, Planner
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished_work import run_now
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.search.documents import Documents, Page
from almanac.families.planner.search.item_search import Query
from almanac.families.planner.search.postings import (
    ALL,
    DAY_LENGTH,
    IndexTerm,
    bounded_term,
    day_at,
    day_position,
    id_before,
    position_of,
)
from almanac.families.planner.search.text import excerpt_of, fold, phrases_of
from almanac.families.planner.search.walks import MAX_QUERIES, IndexReader, TermWalk
from almanac.families.planner.semantic_search.similar_items import SimilarItemPage, find_similar
from almanac.families.planner.semantic_search.sources import DAY_MS, ENTRY_KIND, day_ms, day_of_ms, entry_document
from almanac.families.planner.texts.labels import check_mood, check_tags, mood_key, tag_key
from almanac.families.planner.texts.redacted_texts import without_secrets
from almanac.families.planner.texts.texts import check_body, check_title
from almanac.kernel.errors import NotFound
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change
from almanac.search.engine.exact_search import ExactSearch
from almanac.search.port import Document as Searched
from almanac.search.port import Filters, Place
from almanac.search.questions.port import Search


class EntryEdit(Struct, frozen=True, kw_only=True):
    """The fields to change. `tags` replaces all; a `mood` of "" clears it."""

    title: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    day: date | UnsetType = UNSET
    mood: str | UnsetType = UNSET
    tags: Sequence[str] | UnsetType = UNSET


class EntryQuery(Struct, frozen=True):
    """A query for entries from `since` to `until`, both included; None leaves that side open."""

    since: date | None = None
    until: date | None = None
    q: str = ""
    tag: str = ""
    mood: str = ""


class Streak(Struct, frozen=True, rename="camel"):
    """Days in a row with an entry. `current` ends today, or yesterday while today is still open, else it is 0.
    `at_least`: the journal is too long to be counted to its beginning."""

    current: int
    longest: int
    last_day: str | None
    today_written: bool
    at_least: bool = False


class Journal(Documents[JournalEntry, JournalText]):
    """The journal of one project, on behalf of the planner's caller."""

    order = "at"

    def __init__(self, planner: Planner) -> None:
        super().__init__(planner, "journal", LOG, JOURNAL, JOURNAL_TEXTS)

    def terms(self, document: JournalEntry) -> Iterator[IndexTerm]:
        yield from (bounded_term("tag", tag_key(tag)) for tag in document.tags)
        if document.mood:
            yield bounded_term("mood", mood_key(document.mood))

    def labels(self, document: JournalEntry) -> tuple[str, ...]:
        return document.title, document.mood, *document.tags

    def position(self, document: JournalEntry) -> str:
        return position_of(document.id, document.day)

    def position_at(self, place: Place) -> str:
        return position_of(place.id, day_of_ms(place.at).isoformat())

    def place_before(self, position: str) -> Place | None:
        if len(position) <= DAY_LENGTH:
            return None
        day = date.fromisoformat(day_at(position))
        return Place(day_ms(day), id_before(position[DAY_LENGTH:], LOG))

    def search_document(self, document: JournalEntry, body: str) -> Searched:
        return entry_document(document, body)

    def entries(
        self, query: EntryQuery, limit: int, cursor: str | None = None, exact: ExactSearch | None = None
    ) -> Page[JournalEntry]:
        """Return a page of entries, the latest day first. `exact` finds entries with the words of `q`. Raises
        InvalidInput."""
        since, until = query.since, query.until
        phrases, tag, mood = phrases_of(clean(query.q).text), tag_key(query.tag), mood_key(query.mood)
        index_query = Query(
            terms=(*([bounded_term("tag", tag)] if tag else []), *([bounded_term("mood", mood)] if mood else [])),
            phrases=phrases,
            filters=_filters(query),
            start="0" if until is None else day_position(until.isoformat()),
            end=None if since is None else day_position((since - timedelta(days=1)).isoformat()),
        )
        identity = ("journal", str(since), str(until), fold(query.q), tag, mood)
        return self.page(identity, index_query, limit, cursor, lambda entry: _has_labels(entry, tag, mood), exact)

    def find_similar(self, query: EntryQuery, search: Search, limit: int) -> SimilarItemPage[JournalEntry]:
        """Return the entries whose meaning is similar to `q`, the best first. Raises InvalidInput without `q`."""
        return find_similar(self, search, query.q, _filters(query), limit, lambda _: True)

    def find(self, entry_id: str) -> JournalEntry:
        entry = self.get(entry_id)
        if entry is None:
            raise NotFound(f"Journal entry {entry_id[:80]} not found.", "Use an id from journal_list.")
        return entry

    def create(self, edit: EntryEdit) -> JournalEntry:
        blank = JournalEntry(**self.blank(self.planner.new_id(LOG)), day="")
        edit, findings = _without_secrets(edit)
        entry, body = _apply_edit(blank, "", edit)
        return self.insert(
            entry, body, [*self._redaction_changes(entry, findings), *self._event("item_created", entry)]
        )

    def update(self, entry_id: str, edit: EntryEdit, revision: float | None) -> JournalEntry:
        """Edit an entry and return it; equal edits write nothing. Raises NotFound, Conflict, InvalidInput."""
        redacted, findings = _without_secrets(edit)
        return self.planner.retry_on_conflict(lambda: self._update(entry_id, redacted, findings, revision))

    def remove(self, entry_id: str, revision: float | None) -> JournalEntry:
        """Delete an entry with its links, and return it as it was. Raises NotFound, Conflict."""
        return self.planner.retry_on_conflict(lambda: self._remove(entry_id, revision))

    def _update(
        self, entry_id: str, edit: EntryEdit, findings: Sequence[SecretFinding], revision: float | None
    ) -> JournalEntry:
        old = self.find(entry_id)
        check_revision("this entry", revision, old.version)
        old_body = self.body(old)
        new, body = _apply_edit(old, old_body, edit)

        def changes(entry: JournalEntry) -> list[Change]:
            return [*self._redaction_changes(entry, findings), *self._event("item_updated", entry)]

        return self.replace(old, new, (old_body, body), changes)

    def _remove(self, entry_id: str, revision: float | None) -> JournalEntry:
        entry = self.find(entry_id)
        check_revision("this entry", revision, entry.version)
        links = LinkChanges(self.planner)
        links.drop(entry_id)
        self.delete(entry, [*links.changes(), *self._event("item_deleted", entry)])
        run_now(self.planner, links.left)
        return entry

    def _redaction_changes(self, entry: JournalEntry, findings: Sequence[SecretFinding]) -> list[Change]:
        return redaction_changes(self.planner, entry.id, "journal", findings, self.planner.now_ms())

    def _event(self, kind: ItemEvent, entry: JournalEntry) -> list[Change]:
        return self.planner.emit(kind, "log", entry.id, {"title": entry.title, "date": entry.day})


def _filters(query: EntryQuery) -> Filters:
    tag, mood = tag_key(query.tag), mood_key(query.mood)
    return Filters(
        kinds=(ENTRY_KIND,),
        tags=(tag,) if tag else (),
        fields={"mood": mood} if mood else {},
        since=None if query.since is None else day_ms(query.since),
        until=None if query.until is None else day_ms(query.until) + DAY_MS,
    )


def _without_secrets(edit: EntryEdit) -> tuple[EntryEdit, tuple[SecretFinding, ...]]:
    return without_secrets(edit, ("title", "mood", "tags"), ("body",))


def _apply_edit(old: JournalEntry, old_body: str, edit: EntryEdit) -> tuple[JournalEntry, str]:
    body = old_body if edit.body is UNSET else check_body(edit.body, "body")
    new = replace(
        old,
        title=old.title if edit.title is UNSET else check_title(edit.title),
        day=old.day if edit.day is UNSET else edit.day.isoformat(),
        mood=old.mood if edit.mood is UNSET else check_mood(edit.mood),
        tags=old.tags if edit.tags is UNSET else check_tags(edit.tags),
        excerpt=excerpt_of(body),
        body_bytes=len(body.encode()),
    )
    return new, body


def _has_labels(entry: JournalEntry, tag: str, mood: str) -> bool:
    return (not tag or any(tag_key(one) == tag for one in entry.tags)) and (not mood or mood_key(entry.mood) == mood)


def streak(planner: Planner) -> Streak:
    """Count consecutive days with an entry, by the caller's days."""
    today = planner.now().astimezone(planner.display_zone).date()
    reader = IndexReader(planner.store, planner.scope, "journal")
    walk = TermWalk(reader, ALL)
    current = longest = run = 0
    last = before = None
    position = walk.seek(day_position(today.isoformat()))
    while position is not None and reader.queries < MAX_QUERIES:
        day = date.fromisoformat(day_at(position))
        run = run + 1 if before is not None and before - day == timedelta(days=1) else 1
        last = last or day
        # The first run is the current one if it reaches today or yesterday.
        if (last - day).days == run - 1 and (today - last).days <= 1:
            current = run
        longest, before = max(longest, run), day
        position = walk.seek(day_position((day - timedelta(days=1)).isoformat()))
    return Streak(current, longest, last.isoformat() if last else None, last == today, position is not None)
