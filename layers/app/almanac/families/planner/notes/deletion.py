"""Deletion of notes: alone, with all notes below, or after moving those up.

The notes below are deleted in steps, since they may be many. Readers hide them at once.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.planner.core.note_records import KEPT_VERSIONS, ROOTS, Note
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished_work import Task, UnfinishedWork, delete_work, run_now, work_changes
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.notes.notes import NoteEdit, Notes
from almanac.families.planner.notes.reader import NoteReader
from almanac.kernel.errors import Conflict, NotFound
from almanac.platform.store.port import Change, ConditionFailed

Below = Literal["refuse", "cascade", "lift"]
MAX_NAMED = 200
_AT_ONCE = 10


class NoteDeletion(Struct, frozen=True):
    """The result of a deletion. `notes` were deleted, the requested one last; `lifted` moved up. `more`: only 200 are
    listed."""

    notes: Sequence[str]
    lifted: Sequence[str] = ()
    more: bool = False


def delete_note(planner: Planner, note_id: str, below: Below, revision: float | None) -> NoteDeletion:
    """Delete a note. Raises NotFound, and Conflict for a note with others below it if `below` is "refuse"."""
    notes = Notes(planner)
    notes.find(note_id)
    if below == "refuse":
        planner.retry_on_conflict(lambda: _delete(notes, note_id, revision, None))
        return NoteDeletion([note_id])
    if below == "lift":
        children = [child.id for child in NoteReader(notes).children(note_id, MAX_NAMED + 1)[0]]
        planner.retry_on_conflict(lambda: _delete(notes, note_id, revision, "lift"))
        return NoteDeletion([note_id], children[:MAX_NAMED], len(children) > MAX_NAMED)
    subtree = _subtree(notes, note_id)
    planner.retry_on_conflict(lambda: _delete(notes, note_id, revision, "below"))
    return NoteDeletion([*reversed(subtree[:MAX_NAMED]), note_id], more=len(subtree) > MAX_NAMED)


def remove_below(planner: Planner, work: UnfinishedWork) -> bool:
    """Run one step of the task "below", the lowest notes first. Return whether more remains."""
    notes = Notes(planner)
    reader = NoteReader(notes, include_deleted=True)

    def attempt() -> bool:
        lowest = _lowest(reader, work.item)
        for child in lowest:
            _write(notes, child, notes.tree.delete(child))
        return bool(lowest) or not _finish(notes, work)

    return planner.retry_on_conflict(attempt)


def lift_some(planner: Planner, work: UnfinishedWork) -> bool:
    """Run one step of the task "lift". Return whether more remains."""
    notes = Notes(planner)
    children, _ = NoteReader(notes, include_deleted=True).children(work.item, _AT_ONCE)
    for child in children:
        try:
            notes.update(child.id, NoteEdit(parent_id=work.heir), None)
        except NotFound:
            # The new parent has been deleted by now.
            notes.update(child.id, NoteEdit(parent_id=ROOTS), None)
    return bool(children) or not planner.retry_on_conflict(lambda: _finish(notes, work))


def _delete(notes: Notes, note_id: str, revision: float | None, task: Task | None) -> None:
    planner, note = notes.planner, notes.find(note_id)
    check_revision("this note", revision, note.version)
    children = notes.tree.children(note_id)
    if children and task is None:
        raise _has_children(notes, note, children)
    if not children or task is None:
        run_now(planner, _write(notes, note, notes.tree.delete(note)))
        return
    work = UnfinishedWork(item=note_id, task=task, heir=note.parent_id)
    changes = [*notes.tree.detach(note), *work_changes(planner, work)]
    run_now(planner, [work, *_write(notes, note, changes)])


def _write(notes: Notes, note: Note, changes: Sequence[Change]) -> list[UnfinishedWork]:
    """Write the deletion of a note with `changes` to the tree. Return the remaining work on its links. Raises
    ConditionFailed if the note was changed, or got a child, since it was read."""
    planner, links = notes.planner, LinkChanges(notes.planner)
    links.drop(note.id)
    every = [
        *changes,
        *notes.titles.forget(note.id, note.titles),
        *links.changes(),
        *planner.emit("item_deleted", "note", note.id, {"title": note.title}),
    ]
    notes.delete(note, every)
    if kept := range(max(1, note.version - KEPT_VERSIONS), note.version):
        planner.store.write([notes.versions.delete(note.id, revision) for revision in kept])
    return links.left


def _subtree(notes: Notes, note_id: str) -> list[str]:
    """Return the ids of at most 201 notes below, parents before children."""
    reader, found = NoteReader(notes), list[str]()
    at, above = 0, note_id
    while len(found) <= MAX_NAMED:
        children, _ = reader.children(above, MAX_NAMED + 1 - len(found))
        found += [child.id for child in children]
        if at >= len(found):
            break
        above, at = found[at], at + 1
    return found


def _lowest(reader: NoteReader, above: str) -> list[Note]:
    """Return some siblings below `above` without children of their own."""
    while True:
        children, _ = reader.children(above, _AT_ONCE)
        counts = reader.children_counts(children)
        leaves = [child for child in children if not counts.get(child.id)]
        if leaves or not children:
            return leaves
        above = children[0].id


def _finish(notes: Notes, work: UnfinishedWork) -> bool:
    """Finish the task. Return False if the note got a child at the last moment."""
    try:
        notes.planner.store.write([notes.tree.delete_branch(work.item), delete_work(notes.planner, work)])
    except ConditionFailed:
        return False
    return True


def _has_children(notes: Notes, note: Note, children: int) -> Conflict:
    some = ", ".join(f'"{child.title}"' for child in NoteReader(notes).children(note.id, 5)[0])
    more = f" and {children - 5} more" if children > 5 else ""
    number = "One note hangs" if children == 1 else f"{children} notes hang"
    return Conflict(
        f"{number} directly below it: {some}{more}.",
        'Pass children "cascade" to delete all below it too, or "lift" to move them up to its parent.',
        code="has_children",
        untrusted=True,
    )
