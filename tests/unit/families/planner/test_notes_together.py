"""Many agents at the same notes: no edit is lost, no tree is broken, nothing is hidden."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.app import ToolRefusal
from tests.project_app import ProjectApp

AGENTS = 8


def together(work: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(AGENTS) as agents:
        return list(agents.map(work, range(AGENTS)))


def test_of_edits_with_one_revision_exactly_one_is_made(app: ProjectApp):
    note = app.do("notes_create", title="x")["id"]

    def edit(agent: int) -> bool:
        try:
            app.do("notes_update", noteId=note, body=f"word{agent}", revision=1)
        except ToolRefusal as refused:
            assert refused.code == "revision_conflict"
            return False
        return True

    won = together(edit)

    read = app.do("notes_get", noteId=note)
    assert sum(won) == 1
    assert read["body"] == f"word{won.index(True)}"
    assert read["revision"] == 2


def test_edits_without_a_revision_are_all_made_and_all_kept(app: ProjectApp):
    note = app.do("notes_create", title="x", tags=["start"])["id"]

    together(lambda agent: [app.do("notes_update", noteId=note, body=f"a{agent} b{turn}") for turn in range(2)])

    read = app.do("notes_get", noteId=note)
    assert read["revision"] == 2 * AGENTS + 1
    said = {app.do("notes_get", noteId=note, version=one["revision"])["body"] for one in read["versions"]}
    assert said | {read["body"]} == {"", *(f"a{agent} b{turn}" for agent in range(AGENTS) for turn in range(2))}
    for agent in range(AGENTS):
        found = app.do("notes_search", q=f"a{agent}")["notes"]
        assert bool(found) == (f"a{agent} " in read["body"])


@pytest.mark.slow
def test_long_notes_edited_together_are_found_by_every_word(app: ProjectApp):
    note = app.do("notes_create", title="x", body="start")["id"]
    shared = [f"s{number}" for number in range(120)]

    def edit(agent: int) -> None:
        for turn in range(2):
            own = [f"own{agent}x{turn}x{number}" for number in range(60)]
            half = shared[:: 1 + (agent + turn) % 2]
            app.do("notes_update", noteId=note, body=" ".join([*half, *own]))

    together(edit)

    for word in app.do("notes_get", noteId=note)["body"].split():
        assert app.do("notes_search", q=f'"{word}"')["notes"], word


def test_moves_at_the_same_time_make_no_circle(app: ProjectApp):
    for _ in range(5):
        notes = [app.do("notes_create", title=str(agent))["id"] for agent in range(AGENTS)]

        def move(agent: int, notes: list[str] = notes) -> None:
            try:
                app.do("notes_update", noteId=notes[agent], parentId=notes[(agent + 1) % AGENTS])
            except ToolRefusal as refused:
                assert refused.code == "cycle"

        together(move)

        parents = {note: app.do("notes_get", noteId=note)["parentId"] for note in notes}
        assert sorted(parents.values()).count("") == 1


def test_what_is_hung_below_a_note_that_goes_is_not_lost(app: ProjectApp):
    for _ in range(5):
        root = app.do("notes_create", title="root")["id"]

        def work(agent: int, root: str = root) -> None:
            try:
                if agent == 0:
                    app.do("notes_delete", noteId=root)
                else:
                    app.do("notes_create", title=f"leaf {agent}", parentId=root)
            except ToolRefusal as refused:
                assert refused.code in ("has_children", "not_found")

        together(work)

        for note in app.do("notes_search", q="leaf", limit=100)["notes"]:
            assert [one["id"] for one in app.do("notes_get", noteId=note["id"])["path"]] == [note["parentId"]]


def test_a_title_taken_by_many_at_once_leads_to_one_of_them(app: ProjectApp):
    source = app.do("notes_create", title="source", body="[[Plan]]")["id"]

    made = together(lambda agent: app.do("notes_create", title="Plan")["id"])

    (link,) = app.do("notes_get", noteId=source)["links"]
    linking = [note for note in made if app.do("notes_get", noteId=note)["backlinks"]]
    assert linking == [link["noteId"]]
