"""Import of cards and notes from a file into the planner."""
# ruff: noqa: PLC0415 - reading files, and trial runs, need no planner

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.families.planner.core.note_records import Note
    from almanac.families.planner.core.planner import Planner
    from almanac.families.planner.core.records import Board, Card, Column

BOARD = "Beads"
COLUMNS = ("To do", "In progress", "Done")
BODY_BYTES = 100_000
_TITLE_CHARACTERS = 200
_PAGE = 100

Done = Literal["new", "changed", "known"]
State = Literal["open", "started", "done"]
_PROGRESS: Mapping[State, int] = {"open": 0, "started": 1, "done": 2}


class CardToImport(Struct, frozen=True, kw_only=True):
    """A card to import. `name` is the issue's name in its source. It becomes the first label, which finds the card
    again.
    """

    name: str
    title: str
    description: str = ""
    state: State = "open"
    priority: Literal["urgent", "high", "normal", "low"] = "normal"
    labels: tuple[str, ...] = ()


class NoteToImport(Struct, frozen=True, kw_only=True):
    """A note to import. `folders` are the titles of the notes above it, starting at the root."""

    folders: tuple[str, ...]
    title: str
    body: str
    tags: tuple[str, ...] = ()


class CardsImport:
    """Imports cards into one `board`. `known` has the board's cards by their first label.

    Importing a card again applies the changes in the file, but never moves a card back to an earlier column.
    """

    def __init__(self, store: Store, scope: Scope, actor: str, clock: Clock) -> None:
        from almanac.families.planner.cards.cards import Cards

        self._planner = _planner(store, scope, actor, clock)
        self._cards = Cards(self._planner)
        self.board = self._open_board()
        self.known = self._cards_by_name()

    def keep(self, issue: CardToImport) -> Done:
        """Create or update the card of an issue. Raises AlmanacError if it cannot be stored."""
        from almanac.families.planner.cards.cards import CardEdit

        edit = CardEdit(
            title=_cut(issue.title),
            description=issue.description,
            labels=(issue.name, *issue.labels),
            priority=issue.priority,
        )
        wanted = _PROGRESS[issue.state]
        card = self.known.get(issue.name)
        if card is None:
            self.known[issue.name] = self._cards.create(self.board.columns[wanted].id, edit, float("inf")).card
            return "new"
        changed = self._cards.update(card.id, edit, None).card
        if wanted > self._progress_of(changed.column):
            changed = self._cards.move(card.id, self.board.columns[wanted].id, float("inf"), None).card
        self.known[issue.name] = changed
        return "known" if changed == card else "changed"

    def link(self, source: str, relation: Literal["blocks", "belongs_to"], target: str) -> bool | None:
        """Link two cards. Return False if they are linked already, None if one of them does not exist."""
        from almanac.families.planner.links.link_items import link_items

        one, other = self.known.get(source), self.known.get(target)
        if one is None or other is None:
            return None
        return link_items(self._planner, one.id, "task", other.id, "task", relation)[1]

    def _progress_of(self, column: str) -> int:
        places = [each.id for each in self.board.columns]
        return places.index(column) if column in places[:2] else 2

    def _open_board(self) -> "Board":
        from almanac.families.planner.boards.edits import BoardEdit, edit_board

        boards = self._cards.boards
        found = [one for one in boards.list_boards() if one.title == BOARD and len(one.columns) >= len(COLUMNS)]
        if found:
            return found[0]
        made = edit_board(self._planner, BoardEdit(action="create_board", title=BOARD, columns=list(COLUMNS)))
        return made or self._open_board()

    def _cards_by_name(self) -> dict[str, "Card"]:
        from almanac.families.planner.boards.card_pages import list_cards

        columns: Sequence[tuple[Board, Column]] = [(self.board, column) for column in self.board.columns]
        found: dict[str, Card] = {}
        position: str | None = ""
        while position is not None:
            page = list_cards(self._planner, columns, _PAGE, position)
            found |= {placed.card.labels[0]: placed.card for placed in page.cards if placed.card.labels}
            position = page.position
        return found


class NotesImport:
    """Imports notes into a tree. A note is found again by its title and the titles above it."""

    def __init__(self, store: Store, scope: Scope, actor: str, clock: Clock) -> None:
        from almanac.families.planner.notes.notes import Notes

        self._notes = Notes(_planner(store, scope, actor, clock))
        self._below: dict[str, dict[str, str]] = {}

    def keep(self, note: NoteToImport) -> Done:
        """Create or update a note and the notes above it. Raises AlmanacError if it cannot be stored."""
        from almanac.families.planner.notes.notes import NoteEdit

        parent = ""
        for folder in note.folders:
            parent = self._folder(parent, folder)
        edit = NoteEdit(title=_cut(note.title), body=note.body, tags=note.tags)
        below = self.below(parent)
        known = below.get(_key(note.title))
        if known is None:
            below[_key(note.title)] = self._notes.create(replace(edit, parent_id=parent)).id
            return "new"
        before = self._notes.find(known).version
        return "known" if self._notes.update(known, edit, None).version == before else "changed"

    def find_note(self, note_id: str) -> "Note":
        return self._notes.find(note_id)

    def body(self, note: "Note") -> str:
        return self._notes.body(note)

    def _folder(self, parent: str, title: str) -> str:
        from almanac.families.planner.notes.notes import NoteEdit

        below = self.below(parent)
        if (known := below.get(_key(title))) is None:
            known = below[_key(title)] = self._notes.create(NoteEdit(title=_cut(title), parent_id=parent)).id
        return known

    def below(self, parent: str) -> dict[str, str]:
        """Return the ids of the notes directly below a parent, by title. They are read once."""
        from almanac.families.planner.core.note_records import ROOTS
        from almanac.families.planner.notes.notes import parent_term
        from almanac.families.planner.search.documents import Query

        if parent not in self._below:
            above = parent or ROOTS
            query = Query(terms=(parent_term(above),))
            found = self._notes.first(query, 100_000, lambda note: note.parent_id == above)
            live = [entry.document for entry in found.entries if not self._notes.is_deleted(entry.document)]
            self._below[parent] = {_key(one.title): one.id for one in reversed(live)}
        return self._below[parent]


def _planner(store: Store, scope: Scope, actor: str, clock: Clock) -> "Planner":
    from almanac.composition.services import services_for
    from almanac.families.planner.factory import open_planner

    return open_planner(services_for(store, clock), Caller(scope, actor, key_id="import"), clock, ask_providers=False)


def _cut(title: str) -> str:
    """Return the title on one line and cut to its limit. The text of the card or note has the whole title."""
    line = " ".join(title.split())
    return line if len(line) <= _TITLE_CHARACTERS else f"{line[: _TITLE_CHARACTERS - 1]}…"


def _key(title: str) -> str:
    return _cut(title).casefold()
