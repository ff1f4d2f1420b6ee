"""The tree of notes, and the links between them."""

import pytest

from tests.unit.families.planner.houses import House, Refused
from tests.unit.families.planner.note_calls import create, found, get


@pytest.mark.parametrize("nowhere", ["", None])
def test_a_note_becomes_a_root(house: House, nowhere: str | None):
    leaf = create(house, "leaf", parentId=create(house, "root"))

    assert house.do("notes_update", noteId=leaf, parentId=nowhere)["parentId"] == ""


def test_a_circle_in_the_tree_is_refused(house: House):
    top = create(house, "top")
    middle = create(house, "middle", parentId=top)
    low = create(house, "low", parentId=middle)

    for above in (low, middle, top):
        with pytest.raises(Refused, match="circle") as refused:
            house.do("notes_update", noteId=top, parentId=above)
        assert refused.value.code == "cycle"
    assert house.do("notes_update", noteId=low, parentId=top)["parentId"] == top


def test_a_parent_that_is_none_is_refused(house: House):
    for nobody in ("note_" + "0" * 26, "nobody", "x" * 5000):
        with pytest.raises(Refused, match=r"Parent note .* not found"):
            house.do("notes_create", title="x", parentId=nobody)


def test_a_tree_has_a_greatest_depth(house: House):
    above = ""
    for level in range(31):
        above = create(house, f"level {level}", parentId=above)

    with pytest.raises(Refused, match="at most 30 deep"):
        house.do("notes_create", title="too deep", parentId=above)


def test_a_note_with_others_below_is_not_deleted_unless_said_so(house: House):
    root = create(house, "root")
    leaf = create(house, "leaf", parentId=root)

    with pytest.raises(Refused, match=r'One note hangs directly below it: "leaf".*"cascade".*"lift"') as refused:
        house.do("notes_delete", noteId=root)
    assert refused.value.code == "has_children"
    assert get(house, leaf)["parentId"] == root


def test_deleting_lifts_what_hangs_below(house: House):
    top = create(house, "top")
    middle = create(house, "middle", parentId=top)
    low = create(house, "low", parentId=middle)

    assert house.do("notes_delete", noteId=middle, children="lift") == {"deleted": [middle], "lifted": [low]}
    assert found(house, parentId=top) == ["low"]
    assert [note["children"] for note in house.do("notes_search", parentId="")["notes"]] == [1]


def test_deleting_takes_a_whole_tree(house: House):
    top = create(house, "top")
    middle = create(house, "middle", parentId=top)
    low = create(house, "low", parentId=middle)

    assert house.do("notes_delete", noteId=top, children="cascade")["deleted"] == [low, middle, top]
    assert found(house) == []


def test_a_link_leads_to_the_note_of_its_title_and_back(house: House):
    target = create(house, "The Plan")
    source = create(house, "Source", body="see [[the plan|our plan]] and [[Nowhere]]")

    assert get(house, source)["links"] == [
        {"title": "the plan", "noteId": target},
        {"title": "Nowhere", "noteId": None},
    ]
    assert get(house, target)["backlinks"] == [{"id": source, "title": "Source"}]


def test_a_dangling_link_is_told_and_leads_somewhere_once_there_is_such_a_note(house: House):
    saved = house.do("notes_create", title="Source", body="[[Later]]")
    assert saved["dangling"] == ["Later"]

    later = create(house, "later")

    assert get(house, saved["id"])["links"] == [{"title": "Later", "noteId": later}]
    assert [note["id"] for note in get(house, later)["backlinks"]] == [saved["id"]]


def test_a_link_stays_with_its_note_when_that_is_renamed(house: House):
    target = create(house, "Plan")
    source = create(house, "Source", body="[[Plan]]")
    house.do("notes_update", noteId=target, title="Roadmap")
    usurper = create(house, "Plan")
    house.do("notes_update", noteId=source, body="still [[Plan]]")

    assert get(house, source)["links"] == [{"title": "Plan", "noteId": target}]
    assert [note["title"] for note in get(house, target)["backlinks"]] == ["Source"]
    assert get(house, usurper)["backlinks"] == []

    fresh = create(house, "Fresh", body="[[Plan]]")
    assert get(house, fresh)["links"] == [{"title": "Plan", "noteId": usurper}]


def test_a_link_dangles_when_its_note_is_deleted(house: House):
    target = create(house, "Plan")
    source = create(house, "Source", body="[[Plan]]")
    house.do("notes_delete", noteId=target)

    assert get(house, source)["links"] == [{"title": "Plan", "noteId": None}]
    again = create(house, "Plan")
    assert get(house, source)["links"] == [{"title": "Plan", "noteId": again}]


def test_a_link_by_id_leads_there(house: House):
    target = create(house, "Plan")
    source = create(house, "Source", body=f"[[{target}]]")

    assert get(house, source)["links"] == [{"title": target, "noteId": target}]
    assert [note["id"] for note in get(house, target)["backlinks"]] == [source]


def test_a_note_renamed_many_times_keeps_its_links(house: House):
    target = create(house, "A")
    source = create(house, "Source", body="[[A]]")
    for number in range(150):
        house.do("notes_update", noteId=target, title="A" if number % 2 else "B")
    house.do("notes_update", noteId=target, title="C")

    assert get(house, source)["links"] == [{"title": "A", "noteId": target}]
    assert [note["id"] for note in get(house, target)["backlinks"]] == [source]
