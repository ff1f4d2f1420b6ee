"""What a note is listed under."""

from almanac.families.planner.core.note_records import ROOTS, Note
from almanac.families.planner.search.postings import ALL, Heading, Postings, heading, position_of
from almanac.families.planner.search.terms import pieces_of
from almanac.families.planner.texts.labels import tag_key

_ROOTS = "roots"


def filed_note(note: Note, body: str) -> Postings:
    headings = {ALL, under_parent(note.parent_id)}
    headings.update(under_tag(tag) for tag in note.tags)
    headings.update(linking_to(link.key) for link in note.links)
    headings.update(Heading("word", piece) for piece in pieces_of((note.title, *note.tags, body)))
    return Postings(position_of(note.id), frozenset(headings))


def under_parent(parent_id: str) -> Heading:
    return heading("parent", parent_id if parent_id != ROOTS else _ROOTS)


def under_tag(tag: str) -> Heading:
    return heading("tag", tag_key(tag))


def linking_to(key: str) -> Heading:
    """`key` is that of a title or the id of a note."""
    return Heading("link", key)
