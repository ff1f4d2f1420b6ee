"""Notes as they are written, changed and deleted."""

from typing import Any

import pytest

from tests.app import ToolRefusal
from tests.cpu_time import takes_under
from tests.project_app import ProjectApp
from tests.unit.families.planner.note_calls import create, get, search_titles


def test_a_note_reads_back_as_it_was_written(app: ProjectApp):
    above = create(app, "Projects")
    note = create(app, "  The   plan ", body="Line 1\n\nLine 2", parentId=above, tags=["Work", "#ideas", "work", " "])

    read = get(app, note)

    assert read["title"] == "The plan"
    assert read["body"] == "Line 1\n\nLine 2"
    assert read["tags"] == ["Work", "ideas"]
    assert read["path"] == [{"id": above, "title": "Projects"}]
    assert read["revision"] == 1
    assert read["createdAt"] == "2026-02-18T09:30:02-05:00"
    assert get(app, above)["children"] == [{"id": note, "title": "The plan"}]


def test_a_deleted_note_is_gone(app: ProjectApp):
    note = create(app, "gone", body="words")
    app.do("notes_delete", noteId=note)

    for call in ("notes_get", "notes_delete"):
        with pytest.raises(ToolRefusal, match=f"Note {note} not found"):
            app.do(call, noteId=note)
    assert search_titles(app) == search_titles(app, q="words") == []


def test_what_a_note_said_before_is_kept_and_brought_back(app: ProjectApp):
    note = create(app, "First", body="one", tags=["a"])
    app.do("notes_update", noteId=note, title="Second", body="two", tags=[])

    read = get(app, note)
    assert [(one["revision"], one["title"]) for one in read["versions"]] == [(1, "First")]
    old = get(app, note, version=1)
    assert (old["title"], old["body"], old["tags"], old["revision"]) == ("First", "one", ["a"], 2)

    assert app.do("notes_update", noteId=note, restoreVersion=1)["revision"] == 3
    read = get(app, note)
    assert (read["title"], read["body"], read["tags"]) == ("First", "one", ["a"])
    assert search_titles(app, q="one") == ["First"]
    assert search_titles(app, q="two") == []


def test_the_last_twenty_versions_are_kept(app: ProjectApp):
    note = create(app, "0")
    for number in range(1, 31):
        app.do("notes_update", noteId=note, title=str(number))

    assert [one["revision"] for one in get(app, note)["versions"]] == list(range(30, 10, -1))
    with pytest.raises(ToolRefusal, match="no version 10"):
        get(app, note, version=10)


def test_an_edit_of_what_somebody_else_edited_is_a_conflict(app: ProjectApp):
    note = create(app, "x")
    assert app.do("notes_update", noteId=note, body="one", revision=1)["revision"] == 2

    for call, more in (("notes_update", {"body": "two"}), ("notes_delete", {})):
        with pytest.raises(ToolRefusal, match=r"expected revision 1, got 2") as refused:
            app.do(call, noteId=note, revision=1, **more)
        assert refused.value.code == "revision_conflict"
    assert get(app, note)["body"] == "one"


def test_an_edit_that_changes_nothing_makes_no_version(app: ProjectApp):
    note = create(app, "x", body="y")

    assert app.do("notes_update", noteId=note, title="x", body="y", parentId=None)["revision"] == 1
    assert get(app, note)["versions"] == []


@pytest.mark.parametrize("more", [{}, {"revision": 1}, {"title": "y", "restoreVersion": 1}])
def test_an_edit_says_what_to_change(app: ProjectApp, more: dict[str, Any]):
    note = create(app, "x")

    with pytest.raises(ToolRefusal, match="Give at least one of title"):
        app.do("notes_update", noteId=note, **more)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"title": "x" * 201}, "201 characters, over 200"),
        ({"title": "  "}, "title is empty"),
        ({"title": "x", "body": "ä" * 50_001}, "100002 bytes, over 100000"),
        ({"title": "x", "tags": ["y" * 51]}, "51 characters, over 50"),
        ({"title": "x", "tags": [str(number) for number in range(31)]}, "31 tags, over 30"),
        ({"title": "x", "body": " ".join(f"[[{number}]]" for number in range(201))}, "201 notes, over 200"),
        ({"title": "x", "eventLinks": ["nobody"]}, "not found"),
    ],
)
def test_what_is_too_large_or_not_there_is_refused_and_nothing_is_written(
    app: ProjectApp, arguments: dict[str, Any], said: str
):
    with pytest.raises(ToolRefusal, match=said):
        app.do("notes_create", **arguments)
    assert search_titles(app) == []


def test_a_note_that_is_too_long_is_refused_before_it_is_read_for_secrets(app: ProjectApp):
    body = "the token and the password " * 40_000

    def create_too_long():
        with pytest.raises(ToolRefusal, match="over 100000"):
            app.do("notes_create", title="x", body=body)

    assert takes_under(0.8, create_too_long)


def test_a_note_of_100_kb_is_kept(app: ProjectApp):
    body = "é" * 50_000
    note = create(app, "x" * 200, body=body)

    assert get(app, note)["body"] == body


def test_a_note_references_events_until_they_go(app: ProjectApp):
    event = app.do("calendar_create_event", title="Review", date="tomorrow", time="10:00", type="event")["id"]
    note = create(app, "Minutes", eventLinks=[event])

    links = app.do("items_list_links", itemId=note)["links"]
    assert len(links) == 1
    assert get(app, note)["eventLinks"] == [event]
    app.do("calendar_delete_event", eventId=event)
    assert get(app, note)["eventLinks"] == []
    assert app.do("items_list_links", itemId=note)["links"] == []


def test_a_note_that_goes_takes_its_links_along(app: ProjectApp):
    event = app.do("calendar_create_event", title="Review", date="tomorrow", time="10:00", type="event")["id"]
    note = create(app, "Minutes", eventLinks=[event])
    app.do("notes_delete", noteId=note)

    assert app.do("items_list_links", itemId=event)["links"] == []


def test_refusals_have_the_envelope_of_the_contract(app: ProjectApp):
    outcome = app.outcome("notes_get", {"noteId": "nobody"})

    assert outcome.is_error
    answer = app.call("notes_get", noteId="nobody")
    assert answer == {
        "ok": False,
        "data": None,
        "error": "Note nobody not found. Use an id from notes_search.",
    }
