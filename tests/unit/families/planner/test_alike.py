"""Test finding notes and journal entries by meaning: the most similar first, as they are stored."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.services import services_for
from almanac.kernel.caller import Scope
from almanac.search.engine.maintenance import VerificationResult
from almanac.search.engine.parts import IndexParts
from tests.app import ToolRefusal
from tests.project_app import planner_app
from tests.unit.families.planner.note_calls import create
from tests.unit.families.planner.searched_planner import SearchedPlanner
from tests.unit.search.samples import is_sound


@pytest.fixture
def app(tmp_path: Path) -> SearchedPlanner:
    return SearchedPlanner(tmp_path)


def both(app: SearchedPlanner, q: str, **more: Any) -> Sequence[str]:
    """Return the results before the index follows, and check that they are the same afterwards."""
    before = app.similar_notes(q, **more)
    app.follow()
    assert app.similar_notes(q, **more) == before
    return before


def test_a_note_is_found_by_some_of_its_words_in_title_text_and_tags(app: SearchedPlanner) -> None:
    create(app, "Boats", body="we sailed across the lake", tags=["holiday"])
    create(app, "Cars", body="new tyres")
    assert both(app, "sailing over lakes") == ["Boats"]
    assert both(app, "the holidays") == ["Boats"]
    assert both(app, "which cars are there") == ["Cars"]


def test_the_best_comes_first_and_says_how_alike_it_is(app: SearchedPlanner) -> None:
    create(app, "Trip", body="yellow boat on the lake, with sandwiches and a long way home through the rain")
    create(app, "Yellow boat", body="the yellow boat")
    create(app, "Cars", body="new tyres")
    result = app.do("notes_search", q="yellow boat", mode="meaning")
    assert [note["title"] for note in result["notes"]] == ["Yellow boat", "Trip"]
    assert all(0 < note["similarity"] <= 1 for note in result["notes"])
    assert (result["nextCursor"], result["truncated"]) == (None, False)


def test_tag_and_parent_hold(app: SearchedPlanner) -> None:
    top = create(app, "Travels", body="yellow boat", tags=["Sea Side"])
    create(app, "Lake", body="yellow boat", parentId=top)
    create(app, "River", body="yellow boat", tags=["land"])
    assert both(app, "yellow boat", tag="sea side") == ["Travels"]
    assert both(app, "yellow boat", parentId=top) == ["Lake"]
    assert sorted(both(app, "yellow boat", parentId="")) == ["River", "Travels"]


def test_a_changed_note_is_found_as_it_is_now(app: SearchedPlanner) -> None:
    note = create(app, "Boat", body="yellow")
    app.follow()
    app.do("notes_update", noteId=note, body="green", tags=["painted"])
    assert (both(app, "yellow"), both(app, "green"), both(app, "painted")) == ([], ["Boat"], ["Boat"])
    app.do("notes_update", noteId=note, restoreVersion=1)
    assert (both(app, "yellow"), both(app, "green")) == (["Boat"], [])


def test_a_note_that_moved_is_found_where_it_is(app: SearchedPlanner) -> None:
    first, second = create(app, "First"), create(app, "Second")
    note = create(app, "Boat", body="yellow", parentId=first)
    app.follow()
    app.do("notes_update", noteId=note, parentId=second)
    assert both(app, "yellow", parentId=first) == []
    assert both(app, "yellow", parentId=second) == ["Boat"]


@pytest.mark.parametrize("children", ["cascade", "lift"])
def test_a_deleted_note_is_found_no_more_with_what_hangs_below(app: SearchedPlanner, children: str) -> None:
    top = create(app, "Yellow top")
    for number in range(30):
        create(app, f"Yellow {number}", parentId=top)
    app.follow()
    app.do("notes_delete", noteId=top, children=children)
    left = 30 if children == "lift" else 0
    assert len(app.similar_notes("yellow", limit=100)) == left
    app.react()
    assert len(both(app, "yellow", limit=100)) == left
    assert is_sound(app.verify_index())


def test_more_than_the_limit_is_said(app: SearchedPlanner) -> None:
    for number in range(4):
        create(app, f"Yellow {number}")
    result = app.do("notes_search", q="yellow", mode="meaning", limit=3)
    assert (result["count"], result["truncated"], result["nextCursor"]) == (3, True, None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"q": " "}, "needs a question"), ({"q": "boat", "cursor": "x"}, "no next page"), ({"q": "x" * 1001}, "1001")],
)
def test_what_cannot_be_asked_is_refused_with_what_to_do(
    app: SearchedPlanner, arguments: dict[str, Any], said: str
) -> None:
    for tool in ("notes_search", "journal_list"):
        with pytest.raises(ToolRefusal, match=said):
            app.do(tool, mode="meaning", **arguments)


def test_nothing_found_says_why_and_what_next(app: SearchedPlanner) -> None:
    def empty_because(**more: Any) -> str:
        result = app.do("notes_search", mode="meaning", **more)
        assert result["notes"] == []
        return result["search"]["emptyBecause"]

    assert "Nothing is stored" in empty_because(q="boat")
    create(app, "Boat", tags=["sea"])
    assert "Ask in other words" in empty_because(q="submarine")
    assert "without tags" in empty_because(q="boat", tag="land")


def test_entries_of_the_journal_are_found_by_meaning_day_and_mood(app: SearchedPlanner) -> None:
    for day, mood in (("2026-02-16", "happy"), ("2026-02-17", "sad"), ("2026-02-18", "happy")):
        app.do("journal_create", title=f"On {day}", date=day, body="sailed the yellow boat", mood=mood)
    app.do("journal_create", title="Rain", date="2026-02-18", body="nothing happened")
    assert len(app.similar_entries("yellow boats")) == 3
    assert app.similar_entries("yellow boats", date="2026-02-17") == ["On 2026-02-17"]
    assert sorted(app.similar_entries("yellow boats", dateFrom="2026-02-17")) == ["On 2026-02-17", "On 2026-02-18"]
    assert sorted(app.similar_entries("yellow boats", dateTo="2026-02-17", mood="Happy")) == ["On 2026-02-16"]
    app.follow()
    assert app.similar_entries("yellow boats", dateFrom="2026-02-17", mood="happy") == ["On 2026-02-18"]
    assert app.similar_notes("yellow boats") == []
    assert app.verify_index() == VerificationResult(documents=4)


def test_a_deleted_entry_is_found_no_more(app: SearchedPlanner) -> None:
    entry = app.do("journal_create", title="Boat", date="2026-02-16", body="yellow")["id"]
    app.follow()
    app.do("journal_delete", entryId=entry)
    assert app.similar_entries("yellow") == []
    app.follow()
    assert app.similar_entries("yellow") == []


def _never() -> IndexParts:
    raise AssertionError("search was opened")


def test_a_listing_opens_no_search(tmp_path: Path) -> None:
    app = planner_app(tmp_path)
    create(app, "Boat", body="yellow", tags=["sea"])
    app.open_with(services_for(app.store, app.clock, open_indexing=_never))
    result = app.do("notes_search", tag="sea")
    assert [note["title"] for note in result["notes"]] == ["Boat"]
    assert "search" not in result


def test_another_project_finds_nothing_of_it(app: SearchedPlanner, tmp_path: Path) -> None:
    create(app, "Boat", body="yellow")
    other = SearchedPlanner(tmp_path, store=app.store, scope=Scope("acme", "other"))
    assert other.similar_notes("yellow boat") == []
    app.follow()
    other.open_over(app.index)
    assert other.similar_notes("yellow boat") == []
