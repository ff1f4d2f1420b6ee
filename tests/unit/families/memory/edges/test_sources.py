"""Where memories come from, asked in both directions."""

from msgspec.structs import replace as altered

from almanac.families.memory.core.records import Memory
from almanac.families.memory.edges.sources import Relative, edges_of, source_changes
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import OTHER_PROJECT, memory, project_of, record_turn


def write_memory(app: ProjectApp, one: Memory) -> Memory:
    project = project_of(app)
    app.store.write([*project.put(one, is_new=True), *source_changes(project, one)])
    return one


def test_what_was_made_of_something_is_found_from_it(app: ProjectApp):
    turn = record_turn(app, "A turn")
    first = write_memory(app, memory("One", id="m1", derived_from=(turn.id,)))
    second = write_memory(app, memory("Two", id="m2", kind="reflection", derived_from=(turn.id, "m1")))

    edges = edges_of(project_of(app), turn)
    assert edges.derives == (Relative("m1", "remembered", "semantic"), Relative("m2", "remembered", "reflection"))
    assert edges_of(project_of(app), first).derives == (Relative("m2", "remembered", "reflection"),)
    assert [one.id for one in edges_of(project_of(app), second).derived_from] == [turn.id, "m1"]


def test_what_was_forgotten_is_marked_and_what_is_gone_is_left_out(app: ProjectApp):
    turn = record_turn(app, "A turn")
    hidden, gone = (
        app.do("pin_memory", content=text, derived_from_turn_ids=[turn.id])["memory"]["id"] for text in ("A", "B")
    )
    app.do("forget_memory", memory_id=gone)
    app.wait(days=30)
    app.do("forget_memory", memory_id=hidden)

    assert edges_of(project_of(app), turn).derives == (Relative(hidden, "forgotten", "pinned"),)


def test_long_lists_are_cut_and_say_so(app: ProjectApp):
    turn = record_turn(app, "A turn")
    for number in range(51):
        write_memory(app, memory("Made", id=f"m{number:02}", derived_from=(turn.id,)))
    long = memory("Long", id="long", derived_from=tuple(f"m{number:02}" for number in range(51)))

    of_turn, of_long = edges_of(project_of(app), turn), edges_of(project_of(app), long)

    assert (len(of_turn.derives), of_turn.derives_cut, of_turn.derived_from_cut) == (50, True, False)
    assert (len(of_long.derived_from), of_long.derived_from_cut, of_long.derives_cut) == (50, True, False)
    assert len(source_changes(project_of(app), long)) == 50


def test_exactly_as_many_as_are_shown_are_not_cut(app: ProjectApp):
    turn = record_turn(app, "A turn")
    for number in range(50):
        write_memory(app, memory("Made", id=f"m{number:02}", derived_from=(turn.id,)))

    edges = edges_of(project_of(app), turn)
    assert (len(edges.derives), edges.derives_cut) == (50, False)


def test_another_project_sees_none_of_it(app: ProjectApp):
    turn = record_turn(app, "A turn")
    made = write_memory(app, memory("One", id="m1", derived_from=(turn.id,)))

    there = project_of(app, OTHER_PROJECT)
    assert edges_of(there, turn).derives == ()
    assert edges_of(there, altered(made)).derived_from == (Relative(turn.id, "gone"),)


def test_a_memory_that_is_made_anew_is_found_from_its_new_sources_only(app: ProjectApp):
    kept, left, new = (record_turn(app, text) for text in ("Kept", "Left", "New"))
    before = write_memory(app, memory("One", id="m1", derived_from=(kept.id, left.id)))
    after = altered(before, derived_from=(kept.id, new.id))

    changes = source_changes(project_of(app), after, before.derived_from)
    app.store.write(changes)

    assert len(changes) == 2
    assert [bool(edges_of(project_of(app), turn).derives) for turn in (kept, left, new)] == [True, False, True]
