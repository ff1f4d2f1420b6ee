"""Test layer 1: a session's working set is bounded, expires, and holds no memory twice."""

from typing import Any

from msgspec.structs import replace as altered

from almanac.families.context.core.context import Context
from almanac.families.context.storage.records import WORKING_SETS
from almanac.families.context.storage.store_memory import StoreRequest, store, working_memories
from almanac.families.context.storage.working_sets import MOST
from almanac.families.memory.core.records import Memory
from almanac.families.memory.memories.records import DIGESTS
from almanac.platform.store.port import Store
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import context_of, rows_of, search_kinds


def note(context: Context, content: str, session: str | None = "s", **fields: Any) -> Memory:
    return store(context, StoreRequest(type="scratchpad", content=content, session=session, **fields)).memory


def contents_of(context: Context, session: str | None = "s", limit: int = MOST) -> list[str]:
    return [each.content for each in working_memories(context, session, limit)]


def test_a_working_memory_ends_in_an_hour_where_nothing_else_is_said(app: ProjectApp):
    context = context_of(app)
    note(context, "an hour")
    note(context, "a minute", ttl_seconds=60)
    app.wait(minutes=2)
    assert contents_of(context) == ["an hour"]
    app.wait(minutes=58)

    assert contents_of(context) == []
    app.run_jobs()
    assert rows_of(app) == []


def test_a_session_sees_its_own_and_what_no_session_has_newest_first(app: ProjectApp):
    context = context_of(app)
    for content, session in (("one", "s"), ("two", None), ("three", "t"), ("four", "s")):
        note(context, content, session)
        app.wait(seconds=1)

    assert contents_of(context) == ["four", "two", "one"]
    assert contents_of(context, limit=2) == ["four", "two"]
    assert contents_of(context, None) == ["two"]


def test_a_session_has_its_newest_hundred(app: ProjectApp):
    context = context_of(app)
    note(context, "another session's", "t")
    for number in range(MOST + 3):
        note(context, f"note {number}")
        app.wait(seconds=1)

    assert contents_of(context) == [f"note {number}" for number in reversed(range(3, MOST + 3))]
    assert len(rows_of(app)) == MOST + 1
    assert "note 1" not in {row.content for row in rows_of(app)}
    assert search_kinds(app, "note 1").keys() <= {row.id for row in rows_of(app)}


def test_in_a_slot_only_the_newest_stays(app: ProjectApp):
    context = context_of(app)
    first = note(context, "opened at line 3", slot="file:src/a.ts")
    others = note(context, "opened", slot="file:src/b.ts"), note(context, "opened at line 3", "t", slot="file:src/a.ts")

    second = note(context, "opened at line 9", slot="file:src/a.ts")

    assert {row.id for row in rows_of(app)} == {second.id, *(each.id for each in others)}
    assert first.id not in search_kinds(app, "opened at line 3")
    app.follow()
    assert first.id not in search_kinds(app, "opened at line 3")


def test_the_same_in_a_slot_is_the_newest_again(app: ProjectApp):
    context = context_of(app)
    note(context, "opened", slot="file:src/a.ts")
    app.wait(seconds=1)
    note(context, "between")
    app.wait(seconds=1)

    note(context, "opened", slot="file:src/a.ts")

    assert contents_of(context) == ["opened", "between"]


def test_the_same_without_a_slot_stays_for_as_long_as_either_wants(app: ProjectApp):
    context = context_of(app)
    first = note(context, "same", ttl_seconds=600)
    app.wait(minutes=5)
    shorter, longer = note(context, "same", ttl_seconds=10), note(context, "same", ttl_seconds=7200)

    assert (shorter.id, shorter.lapses_at) == (first.id, first.lapses_at)
    assert (longer.id, longer.lapses_at) == (first.id, app.now + 7_200_000)
    app.wait(minutes=90)
    assert contents_of(context) == ["same"]
    assert note(context, "same", "t").id != first.id


def test_what_ended_may_be_said_again(app: ProjectApp):
    context = context_of(app)
    first = note(context, "same", ttl_seconds=60)
    note(context, "another", ttl_seconds=60)
    lasting = note(context, "lasting")
    app.wait(minutes=2)

    again = note(context, "same")

    assert again.id != first.id
    assert contents_of(context) == ["same", "lasting"]
    (left,) = context.memory.rows(WORKING_SETS).every()
    assert [entry.id for entry in left.entries] == [lasting.id, again.id]


def test_what_ended_is_not_read_again(app: ProjectApp):
    context = context_of(app)
    note(context, "short", ttl_seconds=60)
    note(context, "long")
    app.wait(minutes=2)
    requests: list[Request] = []

    assert contents_of(_over(context, ObservedStore(app.store, requests.append))) == ["long"]

    assert [len(partitions) for _, partitions, _ in requests] == [2, 1]


def test_what_was_rewritten_since_is_no_longer_the_same(app: ProjectApp):
    context = context_of(app)
    first = note(context, "same")
    context.memory.store.write(context.memory.put(altered(first, content="[REDACTED:token]"), is_new=False))

    again = note(context, "same")

    assert again.id != first.id
    assert contents_of(context) == ["same"]


def test_a_set_ends_with_the_last_of_its_memories(app: ProjectApp):
    context = context_of(app)
    for number in range(5):
        note(context, "once", f"session {number}", ttl_seconds=60)
    assert len(list(context.memory.rows(WORKING_SETS).every())) == 5
    app.wait(minutes=2)
    app.run_jobs()

    assert list(context.memory.rows(WORKING_SETS).every()) == []
    assert (rows_of(app), list(context.memory.rows(DIGESTS).every())) == ([], [])


def test_what_was_kept_for_good_leaves_the_set_and_is_not_dropped_for_new_ones(app: ProjectApp):
    context = context_of(app)
    kept = note(context, "kept", slot="a")
    app.do("context_update", memoryId=kept.id, targetLayer=2)
    assert contents_of(context) == []
    note(context, "next", slot="a")
    for number in range(MOST + 1):
        note(context, f"note {number}")

    assert app.do("context_get", memoryId=kept.id)["layer"] == 2


def test_a_forgotten_one_is_no_longer_worked_with(app: ProjectApp):
    context = context_of(app)
    gone, left = note(context, "gone"), note(context, "left")
    app.do("context_delete", memoryId=gone.id)

    assert [each.id for each in working_memories(context, "s", 1)] == [left.id]
    assert note(context, "gone").id != gone.id


def test_all_of_it_is_one_write(app: ProjectApp):
    context = context_of(app)
    note(context, "one", slot="a")
    writes: list[Request] = []
    observed = ObservedStore(app.store, lambda request: writes.append(request) if request[0] == "write" else None)

    note(_over(context, observed), "two", slot="a")

    assert len(writes) == 1


def test_who_was_outrun_stores_it_all_the_same(app: ProjectApp):
    context = context_of(app)
    note(context, "before")
    left = [lambda: note(context, "the other")]

    def observe(request: Request) -> None:
        if request[0] == "write" and left:
            left.pop()()

    note(_over(context, ObservedStore(app.store, observe)), "one")

    assert sorted(contents_of(context)) == ["before", "one", "the other"]


def _over(context: Context, store: Store) -> Context:
    return altered(context, memory=altered(context.memory, store=store))
