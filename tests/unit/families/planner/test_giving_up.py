"""Test that a call gives up if other writers are always first, and that the error says what they change."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from almanac.families.planner.boards.edits import BoardEdit, edit_board
from almanac.families.planner.cards.cards import CardEdit, Cards
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.edits.edits import EventEdit
from almanac.families.planner.edits.updates import create_event
from almanac.families.planner.factory import open_planner
from almanac.families.planner.links.link_items import link_items
from almanac.families.planner.notes.notes import NoteEdit, Notes
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.sqlite.store import SqliteStore
from tests.project_app import MORNING, planner_app

CALLS: list[tuple[str, Callable[[Planner, str], object]]] = [
    ("The board", lambda planner, card: Cards(planner).update(card, CardEdit(title="New"), None)),
    ("The board", lambda planner, _: edit_board(planner, BoardEdit(action="add_column", board_id=BOARD, title="New"))),
    ("The item", lambda planner, _: Notes(planner).create(NoteEdit(title="New"))),
    ("The item", lambda planner, card: link_items(planner, card, "task", _note(planner), "note", "references")),
    ("The calendar", lambda planner, _: create_event(planner, EventEdit(title="New", date="today"))),
]
BOARD = "board_default"


class ContestedStore(SqliteStore):
    """A store in which another writer is first at every write while it is `busy`."""

    busy = False

    def write(self, changes: Sequence[Change]) -> None:
        if self.busy:
            raise ConditionFailed(0, None)
        super().write(changes)


def _note(planner: Planner) -> str:
    return Notes(planner).rows.query().records[0].id


@pytest.mark.parametrize(("thing", "call"), CALLS)
def test_who_is_never_first_is_told_what_is_being_changed(
    tmp_path: Path, thing: str, call: Callable[[Planner, str], object]
) -> None:
    store = ContestedStore(tmp_path / "almanac.db", clock=FixedClock(MORNING), cursor_secret=b"c" * 32)
    app = planner_app(tmp_path, store=store)
    card = app.do("kanban_create_card", columnId="col_todo", title="Card")["id"]
    app.do("notes_create", title="Note")
    app.do("calendar_create_event", title="Event", date="today")
    planner = open_planner(app.services, app.caller, app.clock)
    planner.backoff = planner.bookings.backoff = Backoff(sleep=lambda _: None, random=lambda: 0.5)
    store.busy = True
    with pytest.raises(Conflict, match=f"^{thing} is being changed by many calls at once") as told:
        call(planner, card)
    assert (told.value.retryable, told.value.hint) == (True, "Repeat the call in a moment.")
