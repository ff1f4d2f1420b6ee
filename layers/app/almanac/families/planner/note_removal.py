"""Notes that go: alone, with what hangs below them, or with what hangs below them moved up."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.planner.link_changes import LinkChanges
from almanac.families.planner.note_filing import filed_note
from almanac.families.planner.note_reading import NoteReader
from almanac.families.planner.notes import NoteEdit, Notes
from almanac.families.planner.notes_records import KEPT_VERSIONS, Note
from almanac.families.planner.revisions import check_revision
from almanac.families.planner.shelves.refiling import Refiling, write_filed
from almanac.families.planner.trying import settled
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change

Below = Literal["refuse", "cascade", "lift"]
MAX_AT_ONCE = 200


class Removed(Struct, frozen=True):
    """`notes` are gone, the one asked for last; `lifted` hang where it hung."""

    notes: Sequence[str]
    lifted: Sequence[str] = ()


class NoteRemoval:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._reader = NoteReader(notes)
        self._planner = notes.planner

    def remove(self, note_id: str, below: Below, revision: float | None) -> Removed:
        """Raises NotFound, and Conflict for a note with others below it unless `below` says what becomes of them."""
        note = self._notes.find(note_id)
        check_revision("this note", revision, note.version)
        match below:
            case "refuse":
                settled(self._planner, lambda: self._remove_bare(note_id, revision))
                return Removed([note_id])
            case "cascade":
                gone: list[str] = []
                settled(self._planner, lambda: self._cascade(note_id, gone))
                return Removed(gone)
            case "lift":
                lifted: list[str] = []
                settled(self._planner, lambda: self._lift(note_id, lifted))
                return Removed([note_id], lifted)

    def _cascade(self, note_id: str, gone: list[str]) -> None:
        subtree = [note_id]
        for above in subtree:
            subtree += [child.id for child in self._children(above, len(subtree))]
        for one in reversed(subtree):
            self._remove_leaf(one)
            gone.append(one)

    def _lift(self, note_id: str, lifted: list[str]) -> None:
        parent_id = self._notes.find(note_id).parent_id
        for child in self._children(note_id, 0):
            self._notes.update(child.id, NoteEdit(parent_id=parent_id), None)
            lifted.append(child.id)
        self._remove_leaf(note_id)

    def _children(self, note_id: str, counted: int) -> list[Note]:
        children = self._reader.children(note_id, MAX_AT_ONCE + 1).entries
        if counted + len(children) > MAX_AT_ONCE:
            raise LimitExceeded(
                f"More than {MAX_AT_ONCE} notes hang below it.", "Delete or move parts of the tree first, lowest first."
            )
        return children

    def _remove_bare(self, note_id: str, revision: float | None) -> None:
        note = self._notes.find(note_id)
        check_revision("this note", revision, note.version)
        if children := self._notes.tree.children(note_id):
            raise self._has_children(note, children)
        self._remove_leaf(note_id)

    def _remove_leaf(self, note_id: str) -> None:
        """Raises ConditionFailed where it was changed or something was hung below it meanwhile."""
        notes, planner = self._notes, self._planner
        note = notes.rows.get(note_id)
        if note is None:
            return
        body = notes.body(note)
        links = LinkChanges(planner)
        links.drop(note_id)
        changes: list[Change] = [
            notes.rows.delete(note_id, condition=Equals("version", note.version)),
            notes.texts.delete(note_id),
            *notes.tree.uproot(note),
            *notes.titles.forget(note_id, note.titles),
            *links.changes(),
            *planner.tell("item_deleted", "note", note_id, {"title": note.title}),
        ]
        refiling = Refiling("notes", notes.rows.key(note_id), note.version, filed_note(note, body), None)
        write_filed(planner.store, planner.scope, changes, refiling)
        kept = range(max(1, note.version - KEPT_VERSIONS), note.version)
        if kept:
            planner.store.write([notes.versions.delete(note_id, revision) for revision in kept])

    def _has_children(self, note: Note, children: int) -> Conflict:
        some = ", ".join(f'"{child.title}"' for child in self._reader.children(note.id, 5).entries)
        more = f" and {children - 5} more" if children > 5 else ""
        number = "One note hangs" if children == 1 else f"{children} notes hang"
        return Conflict(
            f"{number} directly below it: {some}{more}.",
            'Say children "cascade" to delete all below it too, or "lift" to move them up to its parent.',
            code="has_children",
        )
