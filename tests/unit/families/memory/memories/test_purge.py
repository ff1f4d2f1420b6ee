"""What is left after 30 days: nothing."""

from pathlib import Path

import msgspec

from almanac.families.memory.core.event_kinds import MEMORY_PURGED
from almanac.families.memory.core.records import (
    DIGESTS as TURN_DIGESTS,
)
from almanac.families.memory.core.records import (
    MEMORIES,
    REPLAYS,
    TURNS,
    TurnDigest,
    TurnReplay,
)
from almanac.families.memory.edges.records import SOURCES, MemorySource
from almanac.families.memory.memories.purge import purge_forgotten
from almanac.families.memory.memories.records import DIGESTS, PURGES
from almanac.platform.bus.records import OUTBOX
from almanac.platform.store.port import Item
from almanac.platform.store.sqlite.scan import SqliteTenantScan
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import OTHER_TENANT, all_of, project_of, record_turn, search_ids


def stored_items(app: ProjectApp, folder: Path) -> list[Item]:
    """Every item, be it expired or not."""
    scan = SqliteTenantScan(folder / "almanac.db", clock=app.clock)
    return list(scan.items(app.caller.scope.tenant, expired=True))


def text_of(items: list[Item]) -> str:
    return " ".join(f"{item.key.partition.text} {item.key.sort} {item.attributes}" for item in items)


def days_pass(app: ProjectApp, days: int) -> None:
    app.follow()
    app.react()
    app.wait(days=days)
    app.run_jobs()
    app.follow()
    app.react()


def test_no_byte_of_what_was_forgotten_is_left(app: ProjectApp, tmp_path: Path):
    project, turn = project_of(app), record_turn(app, "The swordfish turn", session="s1")
    app.store.write(
        [
            project.rows(TURN_DIGESTS).insert(TurnDigest(digest="swordfish-digest", turn=turn.id)),
            project.rows(REPLAYS).insert(
                TurnReplay(actor="ann", client_turn_id="swordfish-replay", turn=turn.id, digest="d")
            ),
        ]
    )
    pinned = app.do("pin_memory", content="A swordfish pin", tags=["swordfish"], derived_from_turn_ids=[turn.id])
    kept = app.do("pin_memory", content="A kept pin", derived_from_turn_ids=[turn.id])["memory"]["id"]
    assert "swordfish" in text_of(stored_items(app, tmp_path))
    for one in (turn.id, pinned["memory"]["id"]):
        app.do("forget_memory", memory_id=one)

    days_pass(app, 30)

    events = OUTBOX.key(app.caller.scope, OUTBOX.own, ("any",)).partition
    left = [item for item in stored_items(app, tmp_path) if item.key.partition != events]
    assert {turn.id, pinned["memory"]["id"]}.isdisjoint(item.key.sort for item in left)
    # Events name ids, and end some days later.
    app.wait(days=8)
    app.database.sweep()

    text = text_of(stored_items(app, tmp_path))
    assert "swordfish" not in text
    assert pinned["memory"]["id"] not in text
    assert all_of(app, PURGES) == all_of(app, TURNS) == []
    assert [one.memory for one in all_of(app, DIGESTS)] == [kept]
    assert project.rows(SOURCES).query(turn.id).records == ()
    assert app.do("get_memory", memory_id=kept)["edges"]["derived_from"] == [{"id": turn.id, "state": "gone"}]


def test_no_text_is_left_where_search_has_no_index(app: ProjectApp, tmp_path: Path):
    gone = [app.do("pin_memory", content=f"Swordfish {number}")["memory"]["id"] for number in range(50)]
    kept = app.do("pin_memory", content="A pin")["memory"]["id"]
    for one in gone:
        app.do("forget_memory", memory_id=one)
    app.wait(days=30)
    for _ in range(5):
        app.run_jobs()
    app.wait(days=8)
    app.database.sweep()

    assert "Swordfish" not in text_of(stored_items(app, tmp_path))
    assert all_of(app, PURGES) == []
    assert search_ids(app, "pin") == [kept]


def test_a_purge_is_told_to_the_other_parts_of_memory(app: ProjectApp):
    one = record_turn(app, "A turn").id
    app.do("forget_memory", memory_id=one)
    days_pass(app, 30)
    app.run_jobs()

    (event,) = app.events(MEMORY_PURGED)
    assert (event.key, event.payload) == (one, {"memory_id": one, "kind": "turn"})


def test_a_day_before_nothing_is_purged(app: ProjectApp):
    one = app.do("pin_memory", content="A pin")["memory"]["id"]
    app.do("forget_memory", memory_id=one)
    days_pass(app, 29)

    assert app.do("forget_memory", memory_id=one, restore=True)
    days_pass(app, 2)
    assert app.do("get_memory", memory_id=one)


def test_a_store_that_deletes_what_expired_leaves_enough_to_find_the_rest(app: ProjectApp):
    project, source = project_of(app), record_turn(app, "Source").id
    one = app.do("pin_memory", content="A pin", derived_from_turn_ids=[source])["memory"]["id"]
    app.do("forget_memory", memory_id=one)
    app.wait(days=30)
    app.store.write([project.rows(MEMORIES).delete(one)])

    app.run_jobs()

    assert project.rows(SOURCES).query(source).records == ()
    assert all_of(app, DIGESTS) == all_of(app, PURGES) == []


def test_a_digest_that_belongs_to_another_memory_by_now_stays(app: ProjectApp):
    first = app.do("pin_memory", content="A pin")["memory"]["id"]
    app.do("forget_memory", memory_id=first)
    second = app.do("pin_memory", content="A pin")["memory"]["id"]
    days_pass(app, 30)

    assert app.do("pin_memory", content="A pin")["memory"]["id"] == second
    assert [one.memory for one in all_of(app, DIGESTS)] == [second]
    assert all_of(app, PURGES) == []
    assert search_ids(app, "pin") == [second]


def test_much_that_was_made_of_one_turn_is_cleared_in_steps(app: ProjectApp):
    project, turn = project_of(app), record_turn(app, "Much quoted")
    rows = project.rows(SOURCES)
    for start in range(0, 200, 100):
        app.store.write([rows.put(MemorySource(source=turn.id, memory=f"m{start + n:03}")) for n in range(100)])
    app.do("forget_memory", memory_id=turn.id)
    app.wait(days=30)

    left: list[int] = []
    for _ in range(4):
        purge_forgotten(app.services, app.caller.scope)
        left.append(len(rows.query(turn.id, limit=1000).records))

    assert left == [110, 20, 0, 0]
    assert all_of(app, PURGES) == []
    assert len(app.events(MEMORY_PURGED)) == 1


def test_other_tenants_keep_theirs(app: ProjectApp):
    theirs = app.do("pin_memory", caller=OTHER_TENANT, content="A pin")["memory"]["id"]
    app.do("forget_memory", caller=OTHER_TENANT, memory_id=theirs)
    app.do("forget_memory", memory_id=record_turn(app, "A turn").id)
    days_pass(app, 30)

    assert len(all_of(app, PURGES, OTHER_TENANT)) == 1
    assert msgspec.to_builtins(app.events(MEMORY_PURGED)[0])["tenant"] == "acme"
