"""Notes as they are listed and found."""

import pytest

from tests.app import ToolRefusal
from tests.project_app import ProjectApp
from tests.unit.families.planner.note_calls import create, search_titles


def test_notes_are_listed_with_the_latest_first(app: ProjectApp):
    for title in ("one", "two", "three"):
        create(app, title)

    assert search_titles(app) == ["three", "two", "one"]


def test_a_list_goes_on_from_its_cursor(app: ProjectApp):
    for number in range(25):
        create(app, f"note {number}", tags=["even"] if number % 2 == 0 else [])

    seen: list[str] = []
    cursor = None
    while True:
        page = app.do("notes_search", tag="EVEN", limit=4, **({"cursor": cursor} if cursor else {}))
        seen += [note["title"] for note in page["notes"]]
        cursor = page["nextCursor"]
        assert page["truncated"] == (cursor is not None)
        if cursor is None:
            break

    assert seen == [f"note {number}" for number in range(24, -1, -2)]


def test_a_cursor_of_another_list_is_refused(app: ProjectApp):
    for number in range(3):
        create(app, f"note {number}")
    cursor = app.do("notes_search", limit=1)["nextCursor"]

    with pytest.raises(ToolRefusal, match="cursor does not belong to this query"):
        app.do("notes_search", tag="x", cursor=cursor)
    with pytest.raises(ToolRefusal, match="cursor"):
        app.do("notes_search", cursor="made-up")


@pytest.mark.parametrize(
    "query", ["rm -rf", "C++", "a-b", "src/app.py", "app.py", "#123", "user@example.com", '"for C++"', "DEPLOY", "日本"]
)
def test_identifiers_are_found(app: ProjectApp, query: str):
    create(app, "Commands", body="rm -rf for C++: a-b in src/app.py (#123) by user@example.com, deployment in 日本語")
    create(app, "Others", body="rm form -rg C+ ab src/app #12 user@example deplo 日 x 本")

    assert search_titles(app, q=query) == ["Commands"]


def test_words_are_found_in_title_and_tags_too(app: ProjectApp):
    create(app, "Garden", tags=["v1.2"], body="roses")

    assert search_titles(app, q="garden v1.2 rose") == ["Garden"]


def test_a_number_that_begins_hundreds_of_others_is_found(app: ProjectApp):
    for number in range(100, 160):
        create(app, f"Issue {number}")
    create(app, "Issue 1")

    assert len(search_titles(app, q="#1", limit=100)) == 0
    assert len(search_titles(app, q="1", limit=100)) == 61


def test_what_was_edited_out_is_no_longer_found(app: ProjectApp):
    note = create(app, "Old words", body="alpha beta", tags=["x"])
    app.do("notes_update", noteId=note, title="New words", body="beta gamma", tags=["y"])

    assert search_titles(app, q="alpha") == search_titles(app, q="old") == search_titles(app, tag="x") == []
    assert (
        search_titles(app, q="gamma")
        == search_titles(app, q="beta")
        == search_titles(app, q="new")
        == search_titles(app, tag="y")
    )
    assert search_titles(app, q="gamma") == ["New words"]


def test_a_note_of_thousands_of_words_is_found_by_each_of_them(app: ProjectApp):
    words = [f"w{number:05d}z" for number in range(2500)]
    note = create(app, "Long", body=" ".join(words))
    later = [f"v{number:05d}z" for number in range(2500)]

    assert all(search_titles(app, q=word) == ["Long"] for word in words[::250])
    app.do("notes_update", noteId=note, body=" ".join([*words[:10], *later]))
    assert all(search_titles(app, q=word) == ["Long"] for word in [*words[:10], *later[::250]])
    assert all(search_titles(app, q=word) == [] for word in words[10::250])
    app.do("notes_delete", noteId=note)
    assert all(search_titles(app, q=word) == [] for word in [*words[:10], *later[::250]])


def test_roots_are_what_hangs_nowhere(app: ProjectApp):
    root = create(app, "root")
    create(app, "leaf", parentId=root)

    assert search_titles(app, parentId="") == ["root"]
    assert search_titles(app, parentId=root) == ["leaf"]
    assert search_titles(app) == ["leaf", "root"]


@pytest.mark.parametrize(("limit", "count"), [(0, 1), (2.7, 2), (1000, 3), (None, 3)])
def test_a_limit_is_brought_between_one_and_100(app: ProjectApp, limit: float | None, count: int):
    for title in ("one", "two", "three"):
        create(app, title)
        app.do("journal_create", title=title, date="today")

    assert app.do("notes_search", limit=limit)["count"] == count
    assert app.do("journal_list", limit=limit)["count"] == count


def test_what_hangs_below_a_note_that_is_none_is_refused(app: ProjectApp):
    with pytest.raises(ToolRefusal, match="Note nope not found"):
        app.do("notes_search", parentId="nope")


def test_tags_and_moods_are_asked_for_without_what_nobody_sees(app: ProjectApp):
    create(app, "one", tags=["wo\u200brk"])
    app.do("journal_create", title="one", date="today", mood="ca\u200blm")

    assert search_titles(app, tag="w\u200bork") == search_titles(app, tag="work") == ["one"]
    assert app.do("journal_list", mood="\u200bcalm")["count"] == app.do("journal_list", mood="calm")["count"] == 1
