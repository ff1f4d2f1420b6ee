"""Memories that were pinned for a while."""

from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.memories.expiry import forget_lapsed
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import OTHER_PROJECT, all_of, project_of, search_ids

MONTH_MS = 30 * 86_400_000


def pin_for(app: ProjectApp, content: str = "The freeze is on.", ttl_ms: int = 60_000) -> str:
    return app.do("pin_memory", content=content, ttl_ms=ttl_ms)["memory"]["id"]


def test_when_its_time_is_over_it_is_forgotten_before_the_clock_finds_it(app: ProjectApp):
    one, lapses_at = pin_for(app), app.now + 60_000
    app.wait(seconds=59.999)
    assert app.do("get_memory", memory_id=one)
    app.wait(milliseconds=1)

    assert app.refusal("get_memory", memory_id=one).startswith(
        f"not_found: {one} was forgotten at 2026-02-18T14:31:00Z"
    )
    forgotten = app.do("forget_memory", memory_id=one)
    assert (forgotten["already"], forgotten["forgotten_at"]) == (True, lapses_at)


def test_the_clock_tells_of_it_once_and_takes_it_out_of_search(app: ProjectApp):
    one, lapses_at = pin_for(app), app.now + 60_000
    app.follow()
    app.wait(minutes=5)
    app.run_jobs()
    app.run_jobs()

    (event,) = app.events(MEMORY_FORGOTTEN)
    assert (event.key, event.actor, event.payload["kind"]) == (one, "almanac", "pinned")
    app.follow()
    assert search_ids(app, "freeze") == []
    record = project_of(app).rows(MEMORIES).get(one)
    assert record is not None
    assert (record.forgotten_at, record.lapses_at, record.purge_at) == (lapses_at, None, app.now + MONTH_MS)
    assert [(step.what, step.actor, step.at) for step in record.history[1:]] == [("lapsed", "almanac", lapses_at)]


def test_what_lapsed_is_restored_for_good(app: ProjectApp):
    for runs in (False, True):
        one = pin_for(app, f"The freeze is on {runs}.")
        app.wait(minutes=2)
        if runs:
            app.run_jobs()

        app.do("forget_memory", memory_id=one, restore=True)

        app.wait(days=40)
        app.run_jobs()
        assert "lapses_at" not in app.do("get_memory", memory_id=one)["memory"]
    assert len(app.events(MEMORY_RESTORED)) == 2


def test_what_was_forgotten_before_and_restored_in_time_still_lapses(app: ProjectApp):
    one = pin_for(app)
    app.do("forget_memory", memory_id=one)
    app.do("forget_memory", memory_id=one, restore=True)
    app.wait(minutes=2)
    app.run_jobs()

    assert app.refusal("get_memory", memory_id=one).startswith("not_found")
    assert len(app.events(MEMORY_FORGOTTEN)) == 2


def test_what_was_forgotten_before_its_time_is_not_found_by_the_clock_again_and_again(app: ProjectApp):
    one = pin_for(app)
    app.do("forget_memory", memory_id=one)
    app.wait(minutes=2)
    app.run_jobs()

    due = project_of(app).rows(MEMORIES).query(index="gsi2", until=app.now + 1).records
    assert due == ()
    assert len(app.events(MEMORY_FORGOTTEN)) == 1
    app.do("forget_memory", memory_id=one, restore=True)
    app.follow()
    assert search_ids(app, "freeze") == [one]


def test_a_laptop_that_slept_for_long_leaves_thirty_days_all_the_same(app: ProjectApp):
    one = pin_for(app)
    app.wait(days=90)
    app.run_jobs()
    app.wait(days=29)

    assert app.do("forget_memory", memory_id=one, restore=True)["restored_at"] == app.now


def test_a_run_is_bounded_and_the_next_takes_the_others(app: ProjectApp):
    for number in range(60):
        pin_for(app, f"Note {number}")
    app.do("pin_memory", caller=OTHER_PROJECT, content="Elsewhere", ttl_ms=1000)
    app.wait(minutes=2)

    forget_lapsed(app.services, app.caller.scope)
    assert len(app.events(MEMORY_FORGOTTEN)) == 50
    forget_lapsed(app.services, app.caller.scope)
    assert len(app.events(MEMORY_FORGOTTEN)) == 60
    assert {event.scope for event in app.events(MEMORY_FORGOTTEN)} == {app.caller.scope}
    assert len(all_of(app, MEMORIES, OTHER_PROJECT)) == 1
