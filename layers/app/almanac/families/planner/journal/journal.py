"""The journal: entries of days, written, read, changed and deleted."""

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.content import clean
from almanac.families.planner.core.item_kinds import LOG
from almanac.families.planner.core.journal_records import JOURNAL, JOURNAL_TEXTS, JournalEntry, JournalText
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished import carry_on_now
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.search.postings import (
    ALL,
    Heading,
    Postings,
    day_position,
    heading,
    id_at,
    is_id_of,
    position_of,
)
from almanac.families.planner.search.reindexing import Reindexing, write_indexed
from almanac.families.planner.search.searching import Wanted, search
from almanac.families.planner.search.terms import Term, excerpt_of, fold, matches, pieces_of, terms_of
from almanac.families.planner.search.walks import Lists
from almanac.families.planner.texts.labels import checked_mood, checked_tags, mood_key, tag_key
from almanac.families.planner.texts.texts import checked_body, checked_title
from almanac.kernel.errors import NotFound
from almanac.platform.store.conditions import Equals
from almanac.platform.store.records import replace as replace_record


class EntryEdit(Struct, frozen=True, kw_only=True):
    """What is to be different; `tags` replaces all, a `mood` of "" takes it away."""

    title: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    day: date | UnsetType = UNSET
    mood: str | UnsetType = UNSET
    tags: Sequence[str] | UnsetType = UNSET


class Asked(Struct, frozen=True):
    """Days from `since` to `until`, both included; None leaves that side open."""

    since: date | None = None
    until: date | None = None
    q: str = ""
    tag: str = ""
    mood: str = ""


class Seen(Struct, frozen=True):
    entry: JournalEntry
    excerpt: str


class Journal:
    """The journal of one project, on behalf of the planner's caller."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._store, self._scope = planner.store, planner.scope
        self._rows = planner.rows(JOURNAL)
        self._texts = planner.rows(JOURNAL_TEXTS)

    def entries(self, asked: Asked, limit: int, cursor: str | None = None) -> tuple[list[Seen], str | None]:
        """At most `limit` entries, those of the latest day first, and the cursor of the rest. Raises InvalidInput."""
        since, until = asked.since, asked.until
        terms = terms_of(clean(asked.q).text)
        tag, mood = tag_key(asked.tag), mood_key(asked.mood)
        query = ("journal", str(since), str(until), fold(asked.q), tag, mood)
        first = "0" if until is None else day_position(until.isoformat())
        wanted = Wanted(
            headings=(*([heading("tag", tag)] if tag else []), *([heading("mood", mood)] if mood else [])),
            terms=terms,
            start=self._planner.cursors.start_of(query, cursor, first),
            end=None if since is None else day_position((since - timedelta(days=1)).isoformat()),
        )

        def read(positions: Sequence[str]) -> Sequence[Seen | None]:
            found = self._read(positions, terms)
            return [seen if seen and _fits(seen.entry, tag, mood) else None for seen in found]

        found = search(Lists(self._store, self._scope, "journal"), wanted, limit, read)
        return found.entries, self._planner.cursors.seal(query, found.reached)

    def find(self, entry_id: str) -> JournalEntry:
        entry = self._rows.get(entry_id) if is_id_of(LOG, entry_id) else None
        if entry is None:
            raise NotFound(f"Journal entry {entry_id[:80]} not found.", "Use an id from journal_list.")
        return entry

    def body(self, entry: JournalEntry) -> str:
        text = self._texts.get(entry.id)
        return text.body if text is not None else ""

    def create(self, edit: EntryEdit) -> JournalEntry:
        now, actor = self._planner.now_ms(), self._planner.actor
        blank = JournalEntry(
            id=self._planner.new_id(LOG),
            title="",
            day="",
            excerpt="",
            body_bytes=0,
            created_at=now,
            created_by=actor,
            updated_at=now,
            updated_by=actor,
        )
        entry, body = _edited(blank, "", edit)
        changes = [
            self._rows.insert(entry),
            self._texts.insert(JournalText(id=entry.id, body=body)),
            *self._planner.tell("item_created", "log", entry.id, {"title": entry.title, "date": entry.day}),
        ]
        refiling = Reindexing("journal", self._rows.key(entry.id), 0, None, filed_entry(entry, body))
        write_indexed(self._store, self._scope, changes, refiling)
        return entry

    def update(self, entry_id: str, edit: EntryEdit, revision: float | None) -> JournalEntry:
        """The entry as it is then; equal edits write nothing. Raises NotFound, Conflict, InvalidInput."""
        return self._planner.retrying(lambda: self._update(entry_id, edit, revision))

    def delete(self, entry_id: str, revision: float | None) -> JournalEntry:
        """The entry as it was; its links are gone too. Raises NotFound, Conflict."""
        return self._planner.retrying(lambda: self._delete(entry_id, revision))

    def _update(self, entry_id: str, edit: EntryEdit, revision: float | None) -> JournalEntry:
        old = self.find(entry_id)
        check_revision("this entry", revision, old.version)
        old_body = self.body(old)
        new, body = _edited(old, old_body, edit)
        if new == old and body == old_body:
            return old
        new = replace(new, updated_at=self._planner.now_ms(), updated_by=self._planner.actor)
        changes = [
            replace_record(self._rows, new),
            *self._planner.tell("item_updated", "log", entry_id, {"title": new.title, "date": new.day}),
        ]
        if body != old_body:
            changes.append(self._texts.put(JournalText(id=entry_id, body=body)))
        before, after = filed_entry(old, old_body), filed_entry(new, body)
        refiling = Reindexing("journal", self._rows.key(entry_id), old.version, before, after)
        write_indexed(self._store, self._scope, changes, refiling)
        return replace(new, version=old.version + 1)

    def _delete(self, entry_id: str, revision: float | None) -> JournalEntry:
        entry = self.find(entry_id)
        check_revision("this entry", revision, entry.version)
        links = LinkChanges(self._planner)
        links.drop(entry_id)
        changes = [
            self._rows.delete(entry_id, condition=Equals("version", entry.version)),
            self._texts.delete(entry_id),
            *links.changes(),
            *self._planner.tell("item_deleted", "log", entry_id, {"title": entry.title, "date": entry.day}),
        ]
        filed = filed_entry(entry, self.body(entry))
        refiling = Reindexing("journal", self._rows.key(entry_id), entry.version, filed, None)
        write_indexed(self._store, self._scope, changes, refiling)
        carry_on_now(self._planner, links.left)
        return entry

    def _read(self, positions: Sequence[str], terms: Sequence[Term]) -> list[Seen | None]:
        ids = [id_at(position, LOG) for position in positions]
        entries = JOURNAL.within(self._store, self._scope).get_many([(one,) for one in ids])
        standing = [
            entry if entry is not None and position_of(entry.id, entry.day) == position else None
            for position, entry in zip(positions, entries, strict=True)
        ]
        if not terms:
            return [Seen(entry, entry.excerpt) if entry is not None else None for entry in standing]
        texts = JOURNAL_TEXTS.within(self._store, self._scope).get_many([(one,) for one in ids])
        return [_seen(entry, text, terms) for entry, text in zip(standing, texts, strict=True)]


def filed_entry(entry: JournalEntry, body: str) -> Postings:
    """What an entry is listed under."""
    headings = {ALL, *(heading("tag", tag_key(tag)) for tag in entry.tags)}
    if entry.mood:
        headings.add(heading("mood", mood_key(entry.mood)))
    words = pieces_of((entry.title, entry.mood, *entry.tags, body))
    headings.update(Heading("word", piece) for piece in words)
    return Postings(position_of(entry.id, entry.day), frozenset(headings))


def _edited(old: JournalEntry, old_body: str, edit: EntryEdit) -> tuple[JournalEntry, str]:
    body = old_body if edit.body is UNSET else checked_body(edit.body, "body")
    new = replace(
        old,
        title=old.title if edit.title is UNSET else checked_title(edit.title),
        day=old.day if edit.day is UNSET else edit.day.isoformat(),
        mood=old.mood if edit.mood is UNSET else checked_mood(edit.mood),
        tags=old.tags if edit.tags is UNSET else checked_tags(edit.tags),
        excerpt=excerpt_of(body),
        body_bytes=len(body.encode()),
    )
    return new, body


def _seen(entry: JournalEntry | None, text: JournalText | None, terms: Sequence[Term]) -> Seen | None:
    body = text.body if text is not None else ""
    if entry is None or not matches(terms, (entry.title, entry.mood, *entry.tags, body)):
        return None
    return Seen(entry, excerpt_of(body, terms))


def _fits(entry: JournalEntry, tag: str, mood: str) -> bool:
    """Lists may name what no longer stands there."""
    return (not tag or any(tag_key(one) == tag for one in entry.tags)) and (not mood or mood_key(entry.mood) == mood)
