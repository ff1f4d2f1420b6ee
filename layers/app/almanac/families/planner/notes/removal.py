"""Notes that go: alone, with what hangs below them, or with what hangs below them moved up."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.planner.core.note_records import Note
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished import Task, Unfinished, carry_on_now, left_over
from almanac.families.planner.notes.burials import write_gone
from almanac.families.planner.notes.notes import Notes
from almanac.families.planner.notes.reading import NoteReader
from almanac.kernel.errors import Conflict

Below = Literal["refuse", "cascade", "lift"]
MAX_NAMED = 200


class Removed(Struct, frozen=True):
    """`notes` are gone, the one asked for last; `lifted` hang where it hung. `more`: so it is with others; up to
    200 are named."""

    notes: Sequence[str]
    lifted: Sequence[str] = ()
    more: bool = False


class NoteRemoval:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._reader = NoteReader(notes)
        self._planner = notes.planner

    def remove(self, note_id: str, below: Below, revision: float | None) -> Removed:
        """Raises NotFound, and Conflict for a note with others below it unless `below` says what becomes of them.

        The note is gone at once, and hides what goes with it; that follows, however many notes they are.
        """
        self._notes.find(note_id)
        if below == "refuse":
            self._planner.retrying(lambda: self._remove(note_id, revision, None))
            return Removed([note_id])
        if below == "lift":
            children = [child.id for child in self._reader.children(note_id, MAX_NAMED + 1).entries]
            self._planner.retrying(lambda: self._remove(note_id, revision, "lift"))
            return Removed([note_id], children[:MAX_NAMED], len(children) > MAX_NAMED)
        subtree = self._below(note_id)
        self._planner.retrying(lambda: self._remove(note_id, revision, "below"))
        return Removed([*reversed(subtree[:MAX_NAMED]), note_id], more=len(subtree) > MAX_NAMED)

    def _below(self, note_id: str) -> list[str]:
        """Of what hangs below at most 201, those above before those below them."""
        found: list[str] = []
        at, above = 0, note_id
        while len(found) <= MAX_NAMED:
            room = MAX_NAMED + 1 - len(found)
            found += [child.id for child in self._reader.children(above, room).entries]
            if at >= len(found):
                break
            above, at = found[at], at + 1
        return found

    def _remove(self, note_id: str, revision: float | None, task: Task | None) -> None:
        note = self._notes.find(note_id)
        check_revision("this note", revision, note.version)
        children = self._notes.tree.children(note_id)
        if children and task is None:
            raise self._has_children(note, children)
        if not children or task is None:
            carry_on_now(self._planner, write_gone(self._notes, note, self._notes.tree.uproot(note)))
            return
        work = Unfinished(item=note_id, task=task, heir=note.parent_id)
        changes = [*self._notes.tree.leave(note), *left_over(self._planner, work)]
        carry_on_now(self._planner, [work, *write_gone(self._notes, note, changes)])

    def _has_children(self, note: Note, children: int) -> Conflict:
        some = ", ".join(f'"{child.title}"' for child in self._reader.children(note.id, 5).entries)
        more = f" and {children - 5} more" if children > 5 else ""
        number = "One note hangs" if children == 1 else f"{children} notes hang"
        return Conflict(
            f"{number} directly below it: {some}{more}.",
            'Pass children "cascade" to delete all below it too, or "lift" to move them up to its parent.',
            code="has_children",
        )
