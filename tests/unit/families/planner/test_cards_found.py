"""Cards as search finds them: as they are now, wherever they were moved, and no more once they are deleted."""

from datetime import timedelta
from pathlib import Path

import pytest

from almanac.families.planner.semantic_search.cards import CARD_KIND
from tests.unit.families.planner.searched_planner import SearchedPlanner
from tests.unit.search.samples import is_sound


@pytest.fixture
def app(tmp_path: Path) -> SearchedPlanner:
    return SearchedPlanner(tmp_path)


def create_card(app: SearchedPlanner, title: str, **more: str) -> str:
    return app.do("kanban_create_card", columnId="col_todo", title=title, **more)["id"]


def both(app: SearchedPlanner, q: str) -> list[str]:
    """Return the results before the index follows, and check that they are the same afterwards."""
    before = app.search_ids(q, CARD_KIND)
    app.follow()
    assert app.search_ids(q, CARD_KIND) == before
    return before


def test_a_card_is_found_by_title_and_description(app: SearchedPlanner) -> None:
    boat, car = create_card(app, "Paint the boat", description="yellow"), create_card(app, "New tyres")
    assert (both(app, "boats"), both(app, "yellow"), both(app, "tyre")) == ([boat], [boat], [car])


def test_a_reworded_card_is_found_as_it_is_now(app: SearchedPlanner) -> None:
    card = create_card(app, "Paint the boat")
    app.follow()
    app.do("kanban_update_card", cardId=card, title="Paint the fence")
    assert (both(app, "boat"), both(app, "fence")) == ([], [card])


def test_a_moved_card_costs_the_index_nothing_and_stays_found(app: SearchedPlanner) -> None:
    card = create_card(app, "Paint the boat")
    app.follow()
    before = len([event for event in app.events() if event.kind == "document_written"])
    app.do("kanban_move_card", cardId=card, columnId="col_doing", position=0)
    app.do("kanban_update_card", cardId=card, dueDate="2026-03-01")
    assert len([event for event in app.events() if event.kind == "document_written"]) == before
    app.do("kanban_update_card", cardId=card, description="with a brush")
    assert (both(app, "boat"), both(app, "brush")) == ([card], [card])
    assert is_sound(app.verify_index())


def test_a_deleted_card_is_found_no_more(app: SearchedPlanner) -> None:
    card = create_card(app, "Paint the boat")
    app.follow()
    app.do("kanban_delete_card", cardId=card)
    assert both(app, "boat") == []
    assert is_sound(app.verify_index())


def test_a_card_that_follows_its_event_is_found_by_the_new_title(app: SearchedPlanner) -> None:
    event = app.do("calendar_create_event", title="Boat trip", date="2026-02-20", time="10:00")["id"]
    card = app.do("kanban_create_card", columnId="col_todo", title="Boat trip", eventLinks=[event])["id"]
    app.react()
    app.do("calendar_update_event", eventId=event, title="Car ride")
    app.react()
    assert (both(app, "boat"), both(app, "car")) == ([], [card])


def test_an_index_that_has_missed_cards_gets_them(app: SearchedPlanner) -> None:
    cards = [create_card(app, f"Boat {number}") for number in range(40)]
    # Fresh documents end by themselves where no event was handled.
    app.index.forget(app.caller.scope)
    app.clock.instant += timedelta(days=1)
    app.follow()
    app.index.forget(app.caller.scope)
    assert app.verify_index().missing == len(cards)
    assert is_sound(app.verify_index())
