"""Notes as they are read: lists and searches, one with all that it is linked with, and where links lead."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.content import clean
from almanac.families.planner.core.item_kinds import NOTE
from almanac.families.planner.core.note_records import NOTE_BRANCHES, NOTE_TEXTS, NOTES, Note, NoteText, NoteVersion
from almanac.families.planner.notes.headings import linking_to, under_parent, under_tag
from almanac.families.planner.notes.notes import Notes
from almanac.families.planner.notes.wikilinks import is_id, target_now
from almanac.families.planner.search.postings import Heading, id_at
from almanac.families.planner.search.searching import Found, Wanted, search
from almanac.families.planner.search.terms import Term, excerpt_of, fold, matches, terms_of
from almanac.families.planner.search.walks import Lists
from almanac.families.planner.texts.labels import tag_key

BACKLINKS = 100
CHILDREN = 100


class Asked(Struct, frozen=True):
    """`parent_id` "" asks for roots, None for any. A note has every tag and word asked for."""

    q: str = ""
    tag: str = ""
    parent_id: str | None = None


class Seen(Struct, frozen=True):
    note: Note
    excerpt: str


class Leading(Struct, frozen=True):
    """A link as written, and the note that it leads to; None: it dangles."""

    title: str
    note: Note | None


class NoteReader:
    """`buried`: those too that go with a note above them that is gone already."""

    def __init__(self, notes: Notes, *, buried: bool = False) -> None:
        self._shows_buried = buried
        self._notes = notes
        self._store, self._scope = notes.planner.store, notes.planner.scope

    def search(self, asked: Asked, limit: int, cursor: str | None) -> tuple[list[Seen], str | None]:
        """At most `limit` notes, those made last first, and the cursor of the rest. Raises InvalidInput, and
        NotFound for a parent that is none."""
        terms = terms_of(clean(asked.q).text)
        tag = tag_key(asked.tag)
        headings = [under_tag(tag)] if tag else []
        if asked.parent_id is not None:
            if asked.parent_id:
                self._notes.find(asked.parent_id)
            headings.append(under_parent(asked.parent_id))
        query = ("notes", fold(asked.q), tag, asked.parent_id)
        start = self._notes.planner.cursors.start_of(query, cursor)
        wanted = Wanted(headings=tuple(headings), terms=terms, start=start)

        def read(positions: Sequence[str]) -> list[Seen | None]:
            found = self._read(positions, terms)
            return [seen if seen and _fits(seen.note, tag, asked.parent_id) else None for seen in found]

        found = search(self._lists(), wanted, limit, read)
        return found.entries, self._notes.planner.cursors.seal(query, found.reached)

    def children(self, note_id: str, limit: int = CHILDREN) -> Found[Note]:
        """Those directly below, the newest first."""
        return self._listed(under_parent(note_id), limit, lambda note: note.parent_id == note_id)

    def links(self, note: Note) -> list[Leading]:
        targets = self._notes.titles.targets(note.links)
        ids = list(dict.fromkeys(target for target in targets.values() if target is not None))
        found = NOTES.within(self._store, self._scope).by_id(ids)
        return [Leading(link.title, found.get(targets[link.key] or "")) for link in note.links]

    def backlinks(self, note: Note) -> tuple[list[Note], bool]:
        """Notes with a link that leads here, and whether there are more."""
        found: dict[str, Note] = {}
        more = False
        for key in (*reversed(note.titles), note.id):
            page = self._linking(key, note)
            found |= {one.id: one for one in page.entries}
            more = more or page.reached is not None
        return list(found.values())[:BACKLINKS], more or len(found) > BACKLINKS

    def versions(self, note: Note) -> Sequence[NoteVersion]:
        """What is kept of what it said before, the latest first."""
        return self._notes.versions.query(note.id, reverse=True).records

    def children_counts(self, notes: Sequence[Note]) -> dict[str, int]:
        found = NOTE_BRANCHES.within(self._store, self._scope).by_id(note.id for note in notes)
        return {branch.id: branch.children for branch in found.values()}

    def _listed(self, heading: Heading, limit: int, fits: Callable[[Note], bool]) -> Found[Note]:
        def read(positions: Sequence[str]) -> list[Note | None]:
            return [seen.note if seen and fits(seen.note) else None for seen in self._read(positions, ())]

        return search(self._lists(), Wanted(headings=(heading,)), limit, read)

    def _linking(self, key: str, target: Note) -> Found[Note]:
        """Notes with a link of this key that leads to `target`."""
        holders = self._notes.titles.read([key])[key].holders if not is_id(key) else ()

        def leads(source: Note) -> bool:
            links = [link for link in source.links if link.key == key]
            return any((link.target if is_id(key) else target_now(link, holders)) == target.id for link in links)

        return self._listed(linking_to(key), BACKLINKS, leads)

    def _read(self, positions: Sequence[str], terms: Sequence[Term]) -> list[Seen | None]:
        ids = [id_at(position, NOTE) for position in positions]
        found = NOTES.within(self._store, self._scope).get_many([(one,) for one in ids])
        notes = [None if one is None or self._is_hidden(one) else one for one in found]
        if not terms:
            return [Seen(note, note.excerpt) if note is not None else None for note in notes]
        texts = NOTE_TEXTS.within(self._store, self._scope).get_many([(one,) for one in ids])
        return [_seen(note, text, terms) for note, text in zip(notes, texts, strict=True)]

    def _is_hidden(self, note: Note) -> bool:
        return not self._shows_buried and self._notes.is_buried(note)

    def _lists(self) -> Lists:
        return Lists(self._store, self._scope, "notes")


def _seen(note: Note | None, text: NoteText | None, terms: Sequence[Term]) -> Seen | None:
    body = text.body if text is not None else ""
    if note is None or not matches(terms, (note.title, *note.tags, body)):
        return None
    return Seen(note, excerpt_of(body, terms))


def _fits(note: Note, tag: str, parent_id: str | None) -> bool:
    """Lists may name what no longer stands there."""
    tagged = not tag or any(tag_key(one) == tag for one in note.tags)
    return tagged and (parent_id is None or note.parent_id == parent_id)
