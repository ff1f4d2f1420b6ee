"""Creation, edits and moves of notes. Each write includes postings, links, the tree and versions."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.content.redaction import SecretFinding
from almanac.families.planner.core.item_kinds import NOTE
from almanac.families.planner.core.note_records import (
    FORMER_TITLES,
    KEPT_VERSIONS,
    NOTE_TEXTS,
    NOTE_VERSIONS,
    NOTES,
    ROOTS,
    Note,
    NoteText,
    NoteVersion,
)
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished_work import all_work
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.notes.titles import NoteTitles
from almanac.families.planner.notes.tree import MAX_DEPTH, NoteTree
from almanac.families.planner.notes.wikilinks import MAX_LINKS, title_key
from almanac.families.planner.search.documents import Documents
from almanac.families.planner.search.postings import IndexTerm, bounded_term
from almanac.families.planner.search.text import excerpt_of
from almanac.families.planner.semantic_search.sources import note_document
from almanac.families.planner.texts.labels import check_tags, tag_key
from almanac.families.planner.texts.redacted_texts import without_secrets
from almanac.families.planner.texts.texts import check_body, check_title
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change
from almanac.search.port import Document as Searched

MAX_NEW_LINKS = 12
"""Event links that one edit may change. Each takes several changes of the one write."""


class NoteEdit(Struct, frozen=True, kw_only=True):
    """The fields to change. `parent_id` "" or None makes a root; `tags` and `event_links` replace all."""

    title: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    parent_id: str | UnsetType | None = UNSET
    tags: Sequence[str] | UnsetType = UNSET
    event_links: Sequence[str] | UnsetType = UNSET


class Notes(Documents[Note, NoteText]):
    """The notes of one project, on behalf of the planner's caller. `findings` are the secrets removed by the last
    edit."""

    findings: tuple[SecretFinding, ...] = ()

    def __init__(self, planner: Planner) -> None:
        super().__init__(planner, "notes", NOTE, NOTES, NOTE_TEXTS)
        self.versions = planner.rows(NOTE_VERSIONS)
        self.titles = NoteTitles(planner)
        self.tree = NoteTree(planner)

    def terms(self, document: Note) -> Iterator[IndexTerm]:
        yield parent_term(document.parent_id)
        yield from (tag_term(tag) for tag in document.tags)
        yield from (link_term(link.key) for link in document.links)

    def search_document(self, document: Note, body: str) -> Searched:
        return note_document(document, body)

    def create(self, edit: NoteEdit) -> Note:
        """Create a note. Raises InvalidInput, and NotFound for an unknown parent or event."""
        note_id, edit = self.planner.new_id(NOTE), self._without_secrets(edit)
        return self.planner.retry_on_conflict(lambda: self._create(note_id, edit))

    def update(self, note_id: str, edit: NoteEdit, revision: float | None) -> Note:
        """Edit a note and return it; equal edits write nothing. Raises NotFound, Conflict, InvalidInput."""
        redacted = self._without_secrets(edit)
        return self.planner.retry_on_conflict(lambda: self._update(note_id, redacted, revision))

    def restore(self, note_id: str, version: int, revision: float | None) -> Note:
        """Restore the contents of revision `version`, as a new revision."""
        note = self.find(note_id)
        old = self.version(note, version)
        edit = NoteEdit(title=old.title, body=old.body, tags=old.tags)
        return self.update(note_id, edit, revision if revision is not None else note.version)

    def find(self, note_id: str) -> Note:
        note = self.get(note_id)
        if note is None or self.is_deleted(note):
            raise NotFound(f"Note {note_id[:80]} not found.", "Use an id from notes_search.")
        return note

    def is_deleted(self, note: Note) -> bool:
        """Return whether the note lies below a deleted one and will be deleted with it."""
        above, steps = note.parent_id, 0
        while above != ROOTS and self._roots_of_deletions and steps <= MAX_DEPTH:
            if above in self._roots_of_deletions:
                return True
            parent = self.rows.get(above)
            above, steps = (parent.parent_id if parent is not None else ROOTS), steps + 1
        return False

    @cached_property
    def _roots_of_deletions(self) -> frozenset[str]:
        return frozenset(work.item for work in all_work(self.planner, ("below",)))

    def version(self, note: Note, revision: int) -> NoteVersion:
        """Return the contents of a revision, which may be the current one."""
        if revision == note.version:
            return self._as_version(note, self.body(note))
        version = self.versions.get(note.id, revision) if 0 < revision < note.version else None
        if version is None:
            raise NotFound(
                f"Note {note.id} has no version {revision}.",
                f"notes_get lists the versions; the last {KEPT_VERSIONS} are kept.",
            )
        return version

    def _without_secrets(self, edit: NoteEdit) -> NoteEdit:
        redacted, self.findings = without_secrets(edit, ("title", "tags"), ("body",))
        return redacted

    def _redaction_changes(self, note_id: str) -> list[Change]:
        return redaction_changes(self.planner, note_id, "note", self.findings, self.planner.now_ms())

    def _create(self, note_id: str, edit: NoteEdit) -> Note:
        blank = Note(**self.blank(note_id), parent_id=ROOTS, titles=())
        note, body = self._apply_edit(blank, "", edit)
        changes = [
            *self.tree.insert(note),
            *self.titles.retitle(note_id, None, note.titles[-1]),
            *self._link_changes(note_id, (), note.event_links),
            *self._redaction_changes(note_id),
            *self.planner.emit("item_created", "note", note_id, {"title": note.title}),
        ]
        return self.insert(note, body, changes)

    def _update(self, note_id: str, edit: NoteEdit, revision: float | None) -> Note:
        old = self.find(note_id)
        check_revision("this note", revision, old.version)
        old_body = self.body(old)
        new, body = self._apply_edit(old, old_body, edit)

        def changes(new: Note) -> list[Change]:
            return [
                self.versions.put(replace(self._as_version(old, old_body), until=new.updated_at)),
                self.versions.delete(note_id, max(0, old.version - KEPT_VERSIONS)),
                *self.tree.move(old, new.parent_id),
                *self._title_changes(old, new),
                *self._link_changes(note_id, old.event_links, new.event_links),
                *self._redaction_changes(note_id),
                *self.planner.emit("item_updated", "note", note_id, {"title": new.title}),
            ]

        return self.replace(old, new, (old_body, body), changes)

    def _apply_edit(self, old: Note, old_body: str, edit: NoteEdit) -> tuple[Note, str]:
        title = old.title if edit.title is UNSET else check_title(edit.title)
        body = old_body if edit.body is UNSET else check_body(edit.body, "body")
        links = self.titles.links_in(body, old.links) if body != old_body else old.links
        if len(links) > MAX_LINKS:
            raise InvalidInput(
                f"The text links to {len(links)} notes, over {MAX_LINKS}.", "Split it over several notes.", path="body"
            )
        key = title_key(title)
        others = tuple(one for one in old.titles if one != key)
        new = replace(
            old,
            title=title,
            parent_id=old.parent_id if edit.parent_id is UNSET else edit.parent_id or ROOTS,
            tags=old.tags if edit.tags is UNSET else check_tags(edit.tags),
            event_links=old.event_links if edit.event_links is UNSET else tuple(dict.fromkeys(edit.event_links)),
            links=links,
            titles=(*others, key)[-1 - FORMER_TITLES :],
            excerpt=excerpt_of(body),
            body_bytes=len(body.encode()),
        )
        return new, body

    def _link_changes(self, note_id: str, old: Sequence[str], new: Sequence[str]) -> list[Change]:
        if len(set(old) ^ set(new)) > MAX_NEW_LINKS:
            raise InvalidInput(
                f"More than {MAX_NEW_LINKS} event links would change at once.",
                "Change fewer per call.",
                path="eventLinks",
            )
        links = LinkChanges(self.planner)
        links.relink(note_id, "note", old, new)
        return links.changes()

    def _title_changes(self, old: Note, new: Note) -> list[Change]:
        if old.titles[-1] == new.titles[-1]:
            return []
        dropped = [key for key in old.titles if key not in new.titles]
        return self.titles.retitle(new.id, old.titles[-1], new.titles[-1]) + self.titles.forget(new.id, dropped)

    def _as_version(self, note: Note, body: str) -> NoteVersion:
        return NoteVersion(
            note=note.id,
            revision=note.version,
            title=note.title,
            body=body,
            tags=note.tags,
            updated_at=note.updated_at,
            updated_by=note.updated_by,
        )


def parent_term(parent_id: str) -> IndexTerm:
    return bounded_term("parent", parent_id if parent_id != ROOTS else "roots")


def tag_term(tag: str) -> IndexTerm:
    return bounded_term("tag", tag_key(tag))


def link_term(key: str) -> IndexTerm:
    """Return the term of a link. `key` is that of a title, or the id of a note."""
    return IndexTerm("link", key)
