"""The tree of notes: parents and counts of children, without cycles."""

from almanac.families.planner.core.item_kinds import NOTE
from almanac.families.planner.core.note_records import NOTE_BRANCHES, NOTES, ROOTS, Note, NoteBranch
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.search.postings import is_id_of
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, Check, Update

MAX_DEPTH = 30


class NoteTree:
    """Changes to the tree as parts of a write."""

    def __init__(self, planner: Planner) -> None:
        self._notes = planner.rows(NOTES)
        self._branches = planner.rows(NOTE_BRANCHES)

    def insert(self, note: Note) -> list[Change]:
        """Return the changes that add a note below its parent. Raises NotFound for an unknown parent, and InvalidInput
        for a tree over 30 notes deep."""
        self._above(note.parent_id, note.id)
        return [self._branches.insert(NoteBranch(id=note.id)), *self._count_changes(note.parent_id, 1)]

    def move(self, note: Note, parent_id: str) -> list[Change]:
        """Return the changes that move a note. The write fails if a note above was moved or deleted since. Raises as
        `insert`, and Conflict for a cycle."""
        if parent_id == note.parent_id:
            return []
        above = self._above(parent_id, note.id)
        fences = [Check(self._notes.key(one.id), Equals("parent_id", one.parent_id)) for one in above]
        return [*fences, *self._count_changes(note.parent_id, -1), *self._count_changes(parent_id, 1)]

    def delete(self, note: Note) -> list[Change]:
        """Return the changes that delete a note. The write fails if it has children."""
        return [
            self._branches.delete(note.id, condition=Equals("children", 0)),
            *self._count_changes(note.parent_id, -1),
        ]

    def detach(self, note: Note) -> list[Change]:
        """Return the changes that detach a note with children from its parent. `delete_branch` follows."""
        return self._count_changes(note.parent_id, -1)

    def delete_branch(self, note_id: str) -> Change:
        """Return the change that deletes the count of a detached note. The write fails while it has children."""
        return self._branches.delete(note_id, condition=Absent() | Equals("children", 0))

    def children(self, note_id: str) -> int:
        """Return the number of notes directly below."""
        branch = self._branches.get(note_id)
        return branch.children if branch is not None else 0

    def path(self, note: Note) -> list[Note]:
        """Return the notes above, the root first."""
        found: list[Note] = []
        above = note.parent_id
        while above != ROOTS and len(found) <= MAX_DEPTH:
            parent = self._notes.get(above)
            if parent is None:
                break
            found.append(parent)
            above = parent.parent_id
        return found[::-1]

    def _count_changes(self, parent_id: str, by: int) -> list[Change]:
        return [Update(self._branches.key(parent_id), add={"children": by})] if parent_id != ROOTS else []

    def _above(self, parent_id: str, moved: str) -> list[Note]:
        found: list[Note] = []
        above = parent_id
        while above != ROOTS:
            if above == moved:
                raise _circle(found)
            note = self._notes.get(above) if is_id_of(NOTE, above) else None
            if note is None:
                raise NotFound(f"Parent note {above[:80]} not found.", "Use an id from notes_search.")
            found.append(note)
            if len(found) > MAX_DEPTH:
                raise InvalidInput(
                    f"Notes can be nested at most {MAX_DEPTH} deep.",
                    "Choose a parent nearer to the root.",
                    path="parentId",
                )
            above = note.parent_id
        return found


def _circle(found: list[Note]) -> Conflict:
    below = f'"{found[0].title}" hangs below it' if found else "a note cannot hang below itself"
    return Conflict(
        f"The note cannot be moved there: {below}, so the tree would contain a circle.",
        'Choose another parentId, or "" to make it a root.',
        code="cycle",
        untrusted=bool(found),
    )
