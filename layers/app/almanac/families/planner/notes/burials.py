"""Notes that are gone, and what hung below them: it goes too, or moves up, note by note."""

from collections.abc import Sequence

from almanac.families.planner.core.note_records import KEPT_VERSIONS, ROOTS, Note
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.unfinished import Unfinished, finished
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.notes.headings import filed_note
from almanac.families.planner.notes.notes import NoteEdit, Notes
from almanac.families.planner.notes.reading import NoteReader
from almanac.families.planner.search.reindexing import Reindexing, write_indexed
from almanac.kernel.errors import NotFound
from almanac.platform.store.port import Change, ConditionFailed

_AT_ONCE = 10


def write_gone(notes: Notes, note: Note, changes: Sequence[Change]) -> list[Unfinished]:
    """The note goes with `changes`, which take it out of the tree; what is left to be done about its links.

    Raises ConditionFailed where it was changed or something was hung below it meanwhile.
    """
    planner, links = notes.planner, LinkChanges(notes.planner)
    links.drop(note.id)
    kept = range(max(1, note.version - KEPT_VERSIONS), note.version)
    every: list[Change] = [
        notes.gone(note),
        notes.texts.delete(note.id),
        *changes,
        *notes.titles.forget(note.id, note.titles),
        *links.changes(),
        *planner.tell("item_deleted", "note", note.id, {"title": note.title}),
    ]
    refiling = Reindexing("notes", notes.rows.key(note.id), note.version, filed_note(note, notes.body(note)), None)
    write_indexed(planner.store, planner.scope, every, refiling)
    if kept:
        planner.store.write([notes.versions.delete(note.id, revision) for revision in kept])
    return links.left


def remove_below(planner: Planner, work: Unfinished) -> bool:
    """One step of the task "below", the lowest notes first; whether there is more to do."""
    notes = Notes(planner)
    reader = NoteReader(notes, buried=True)

    def attempt() -> bool:
        lowest = _lowest(reader, work.item)
        for child in lowest:
            write_gone(notes, child, notes.tree.uproot(child))
        return bool(lowest) or not _closed(notes, work)

    return planner.retrying(attempt)


def lift_some(planner: Planner, work: Unfinished) -> bool:
    """One step of the task "lift"; whether there is more to do."""
    notes = Notes(planner)
    children = NoteReader(notes, buried=True).children(work.item, _AT_ONCE).entries
    for child in children:
        try:
            notes.update(child.id, NoteEdit(parent_id=work.heir), None)
        except NotFound:
            # What it is to hang below is gone as well by now.
            notes.update(child.id, NoteEdit(parent_id=ROOTS), None)
    return bool(children) or not planner.retrying(lambda: _closed(notes, work))


def _lowest(reader: NoteReader, above: str) -> list[Note]:
    """Some notes below `above` that hang below the same one and have nothing below them."""
    while True:
        children = reader.children(above, _AT_ONCE).entries
        counts = reader.children_counts(children)
        bare = [child for child in children if not counts.get(child.id)]
        if bare or not children:
            return bare
        above = children[0].id


def _closed(notes: Notes, work: Unfinished) -> bool:
    """False where something was hung below the note at the last moment."""
    try:
        notes.planner.store.write([notes.tree.felled(work.item), finished(notes.planner, work)])
    except ConditionFailed:
        return False
    return True
