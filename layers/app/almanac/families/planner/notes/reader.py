"""Reading of notes: lists and searches, children, links and backlinks."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.content import clean
from almanac.families.planner.core.note_records import NOTE_BRANCHES, Note, NoteVersion
from almanac.families.planner.notes.notes import Notes, link_term, parent_term, tag_term
from almanac.families.planner.notes.wikilinks import is_id, target_now
from almanac.families.planner.search.documents import Page
from almanac.families.planner.search.item_search import Query
from almanac.families.planner.search.postings import IndexTerm
from almanac.families.planner.search.text import fold, phrases_of
from almanac.families.planner.semantic_search.similar_items import SimilarItemPage, find_similar
from almanac.families.planner.semantic_search.sources import NOTE_KIND, ROOTS_FIELD
from almanac.families.planner.texts.labels import tag_key
from almanac.search.engine.exact_search import ExactSearch
from almanac.search.port import Filters
from almanac.search.questions.port import Search

BACKLINKS = 100
CHILDREN = 100


class NoteQuery(Struct, frozen=True):
    """A query for notes. `parent_id` "" means roots, and None notes anywhere. A match has the tag and every phrase of
    `q`."""

    q: str = ""
    tag: str = ""
    parent_id: str | None = None


class NoteLink(Struct, frozen=True):
    """A link as written, and its target; None if there is none."""

    title: str
    note: Note | None


class NoteReader:
    """Reader of notes. With `include_deleted`, it includes notes whose parent was deleted and that will follow."""

    def __init__(self, notes: Notes, *, include_deleted: bool = False) -> None:
        self._notes = notes
        self._includes_deleted = include_deleted

    def search(self, query: NoteQuery, limit: int, cursor: str | None, exact: ExactSearch) -> Page[Note]:
        """Return a page of notes, the newest first. Raises InvalidInput, and NotFound for an unknown parent."""
        phrases, tag, parent_id = phrases_of(clean(query.q).text), tag_key(query.tag), query.parent_id
        terms = [tag_term(tag)] if tag else []
        if parent_id is not None:
            terms.append(parent_term(parent_id))

        def keep(note: Note) -> bool:
            is_tagged = not tag or any(tag_key(one) == tag for one in note.tags)
            return self._is_visible(note) and is_tagged and parent_id in (None, note.parent_id)

        identity = ("notes", fold(query.q), tag, parent_id)
        index_query = Query(terms=tuple(terms), phrases=phrases, filters=self._filters(query))
        return self._notes.page(identity, index_query, limit, cursor, keep, exact)

    def find_similar(self, query: NoteQuery, search: Search, limit: int) -> SimilarItemPage[Note]:
        """Return the notes whose meaning is similar to `q`, the best first. Raises as `search`, and InvalidInput
        without `q`."""
        return find_similar(self._notes, search, query.q, self._filters(query), limit, self._is_visible)

    def children(self, note_id: str, limit: int = CHILDREN) -> tuple[list[Note], bool]:
        """Return the notes directly below, the newest first, and whether there are more."""
        return self._notes_with(parent_term(note_id), limit, lambda note: note.parent_id == note_id)

    def links(self, note: Note) -> list[NoteLink]:
        targets = self._notes.titles.targets(note.links)
        found = self._notes.rows.by_id(target for target in targets.values() if target is not None)
        return [NoteLink(link.title, found.get(targets[link.key] or "")) for link in note.links]

    def backlinks(self, note: Note) -> tuple[list[Note], bool]:
        """Return the notes that link here, and whether there are more."""
        found: dict[str, Note] = {}
        more = False
        for key in (*reversed(note.titles), note.id):
            sources, more_of_key = self._notes_linking(key, note)
            found |= {source.id: source for source in sources}
            more = more or more_of_key
        return list(found.values())[:BACKLINKS], more or len(found) > BACKLINKS

    def versions(self, note: Note) -> Sequence[NoteVersion]:
        """Return the stored earlier versions, the latest first."""
        return self._notes.versions.query(note.id, reverse=True).records

    def children_counts(self, notes: Sequence[Note]) -> dict[str, int]:
        found = self._notes.planner.rows(NOTE_BRANCHES).by_id(note.id for note in notes)
        return {branch.id: branch.children for branch in found.values()}

    def _filters(self, query: NoteQuery) -> Filters:
        """Return the search filters. Raises NotFound for an unknown parent."""
        tag, parent_id = tag_key(query.tag), query.parent_id
        if parent_id:
            self._notes.find(parent_id)
        fields = {} if parent_id is None else {"parent": parent_id or ROOTS_FIELD}
        return Filters(kinds=(NOTE_KIND,), tags=(tag,) if tag else (), fields=fields)

    def _notes_with(self, term: IndexTerm, limit: int, keep: Callable[[Note], bool]) -> tuple[list[Note], bool]:
        hits = self._notes.first(Query(terms=(term,)), limit, lambda note: self._is_visible(note) and keep(note))
        return [match.document for match in hits.entries], hits.next_position is not None

    def _notes_linking(self, key: str, target: Note) -> tuple[list[Note], bool]:
        """Return the notes with a link of this key to `target`, and whether there are more."""
        holders = self._notes.titles.read([key])[key].holders if not is_id(key) else ()

        def leads(source: Note) -> bool:
            links = [link for link in source.links if link.key == key]
            return any((link.target if is_id(key) else target_now(link, holders)) == target.id for link in links)

        return self._notes_with(link_term(key), BACKLINKS, leads)

    def _is_visible(self, note: Note) -> bool:
        return self._includes_deleted or not self._notes.is_deleted(note)
