"""The tree of notes: who hangs below whom, without circles, and without losing count."""

from msgspec import Struct

from almanac.families.planner.core.item_kinds import NOTE
from almanac.families.planner.core.note_records import NOTE_BRANCHES, NOTES, ROOTS, Note, NoteBranch
from almanac.families.planner.search.postings import is_id_of
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, Check, Store, Update

MAX_DEPTH = 30


class Move(Struct, frozen=True):
    """Of a note that hangs below `old` and is to hang below `new`."""

    note: str
    old: str
    new: str


class NoteTree:
    def __init__(self, store: Store, scope: Scope) -> None:
        self._notes = NOTES.within(store, scope)
        self._branches = NOTE_BRANCHES.within(store, scope)

    def plant(self, note: Note) -> list[Change]:
        """A new note comes to hang where it says. Raises NotFound for a parent that is none, InvalidInput for a tree
        over 30 notes deep."""
        self._above(note.parent_id, note.id)
        return [self._branches.insert(NoteBranch(id=note.id)), *self._counted(note.parent_id, 1)]

    def move(self, move: Move) -> list[Change]:
        """Changes that fail where a note above was moved or has gone meanwhile. Raises as `plant`, and Conflict for a
        circle."""
        if move.new == move.old:
            return []
        above = self._above(move.new, move.note)
        fences = [Check(self._notes.key(one.id), Equals("parent_id", one.parent_id)) for one in above]
        return [*fences, *self._counted(move.old, -1), *self._counted(move.new, 1)]

    def uproot(self, note: Note) -> list[Change]:
        """Nothing hangs below the note, and it hangs nowhere."""
        return [
            self._branches.delete(note.id, condition=Equals("children", 0)),
            *self._counted(note.parent_id, -1),
        ]

    def leave(self, note: Note) -> list[Change]:
        """The note hangs nowhere, though notes still hang below it: see `felled`."""
        return self._counted(note.parent_id, -1)

    def felled(self, note_id: str) -> Change:
        """Nothing hangs any more below a note that has left."""
        return self._branches.delete(note_id, condition=Absent() | Equals("children", 0))

    def children(self, note_id: str) -> int:
        """How many notes hang directly below."""
        branch = self._branches.get(note_id)
        return branch.children if branch is not None else 0

    def path(self, note: Note) -> list[Note]:
        """The notes above, the root first."""
        found: list[Note] = []
        above = note.parent_id
        while above != ROOTS and len(found) <= MAX_DEPTH:
            parent = self._notes.get(above)
            if parent is None:
                break
            found.append(parent)
            above = parent.parent_id
        return found[::-1]

    def _counted(self, parent_id: str, by: int) -> list[Change]:
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
    )
