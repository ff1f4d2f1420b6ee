"""The tree of notes, and the links between them."""

import pytest

from tests.app import ToolRefusal
from tests.project_app import ProjectApp
from tests.unit.families.planner.note_calls import create, get, search_titles


@pytest.mark.parametrize("nowhere", ["", None])
def test_a_note_becomes_a_root(app: ProjectApp, nowhere: str | None):
    leaf = create(app, "leaf", parentId=create(app, "root"))

    assert app.do("notes_update", noteId=leaf, parentId=nowhere)["parentId"] == ""


def test_a_circle_in_the_tree_is_refused(app: ProjectApp):
    top = create(app, "top")
    middle = create(app, "middle", parentId=top)
    low = create(app, "low", parentId=middle)

    for above in (low, middle, top):
        with pytest.raises(ToolRefusal, match="circle") as refused:
            app.do("notes_update", noteId=top, parentId=above)
        assert refused.value.code == "cycle"
    assert app.do("notes_update", noteId=low, parentId=top)["parentId"] == top


def test_a_parent_that_is_none_is_refused(app: ProjectApp):
    for nobody in ("note_" + "0" * 26, "nobody", "x" * 5000):
        with pytest.raises(ToolRefusal, match=r"Parent note .* not found"):
            app.do("notes_create", title="x", parentId=nobody)


def test_a_tree_has_a_greatest_depth(app: ProjectApp):
    above = ""
    for level in range(31):
        above = create(app, f"level {level}", parentId=above)

    with pytest.raises(ToolRefusal, match="at most 30 deep"):
        app.do("notes_create", title="too deep", parentId=above)


def test_a_note_with_others_below_is_not_deleted_unless_said_so(app: ProjectApp):
    root = create(app, "root")
    leaf = create(app, "leaf", parentId=root)

    with pytest.raises(ToolRefusal, match=r'One note hangs directly below it: "leaf".*"cascade".*"lift"') as refused:
        app.do("notes_delete", noteId=root)
    assert refused.value.code == "has_children"
    assert get(app, leaf)["parentId"] == root


def test_deleting_lifts_what_hangs_below(app: ProjectApp):
    top = create(app, "top")
    middle = create(app, "middle", parentId=top)
    low = create(app, "low", parentId=middle)

    assert app.do("notes_delete", noteId=middle, children="lift") == {"deleted": [middle], "lifted": [low]}
    assert search_titles(app, parentId=top) == ["low"]
    assert [note["children"] for note in app.do("notes_search", parentId="")["notes"]] == [1]


def test_deleting_takes_a_whole_tree(app: ProjectApp):
    top = create(app, "top")
    middle = create(app, "middle", parentId=top)
    low = create(app, "low", parentId=middle)

    assert app.do("notes_delete", noteId=top, children="cascade")["deleted"] == [low, middle, top]
    assert search_titles(app) == []


def test_a_link_leads_to_the_note_of_its_title_and_back(app: ProjectApp):
    target = create(app, "The Plan")
    source = create(app, "Source", body="see [[the plan|our plan]] and [[Nowhere]]")

    assert get(app, source)["links"] == [
        {"title": "the plan", "noteId": target},
        {"title": "Nowhere", "noteId": None},
    ]
    assert get(app, target)["backlinks"] == [{"id": source, "title": "Source"}]


def test_a_dangling_link_is_told_and_leads_somewhere_once_there_is_such_a_note(app: ProjectApp):
    saved = app.do("notes_create", title="Source", body="[[Later]]")
    assert saved["dangling"] == ["Later"]

    later = create(app, "later")

    assert get(app, saved["id"])["links"] == [{"title": "Later", "noteId": later}]
    assert [note["id"] for note in get(app, later)["backlinks"]] == [saved["id"]]


def test_a_link_stays_with_its_note_when_that_is_renamed(app: ProjectApp):
    target = create(app, "Plan")
    source = create(app, "Source", body="[[Plan]]")
    app.do("notes_update", noteId=target, title="Roadmap")
    usurper = create(app, "Plan")
    app.do("notes_update", noteId=source, body="still [[Plan]]")

    assert get(app, source)["links"] == [{"title": "Plan", "noteId": target}]
    assert [note["title"] for note in get(app, target)["backlinks"]] == ["Source"]
    assert get(app, usurper)["backlinks"] == []

    fresh = create(app, "Fresh", body="[[Plan]]")
    assert get(app, fresh)["links"] == [{"title": "Plan", "noteId": usurper}]


def test_a_link_dangles_when_its_note_is_deleted(app: ProjectApp):
    target = create(app, "Plan")
    source = create(app, "Source", body="[[Plan]]")
    app.do("notes_delete", noteId=target)

    assert get(app, source)["links"] == [{"title": "Plan", "noteId": None}]
    again = create(app, "Plan")
    assert get(app, source)["links"] == [{"title": "Plan", "noteId": again}]


def test_a_link_by_id_leads_there(app: ProjectApp):
    target = create(app, "Plan")
    source = create(app, "Source", body=f"[[{target}]]")

    assert get(app, source)["links"] == [{"title": target, "noteId": target}]
    assert [note["id"] for note in get(app, target)["backlinks"]] == [source]


def test_a_note_renamed_many_times_keeps_its_links(app: ProjectApp):
    target = create(app, "A")
    source = create(app, "Source", body="[[A]]")
    for number in range(150):
        app.do("notes_update", noteId=target, title="A" if number % 2 else "B")
    app.do("notes_update", noteId=target, title="C")

    assert get(app, source)["links"] == [{"title": "A", "noteId": target}]
    assert [note["id"] for note in get(app, target)["backlinks"]] == [source]
