"""Edges that somebody stated, as memory shows and ends them."""

from pathlib import Path

import pytest

from almanac.families.memory.edges.records import EDGES, Edge
from almanac.families.memory.memories.purge import purge_forgotten
from almanac.families.memory.memories.records import PURGES
from almanac.platform.store.sqlite.scan import SqliteTenantScan
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import all_of, project_of


def pin(app: ProjectApp, content: str) -> str:
    return app.do("pin_memory", content=content)["memory"]["id"]


def connect(app: ProjectApp, src: str, kind: str, dst: str, **more: object) -> str:
    arguments: Json = {"src_id": src, "dst_id": dst, "kind": kind, **more}
    return app.do("create_edge", **arguments)["edge_id"]


def stated_edges(app: ProjectApp, memory_id: str) -> list[Json]:
    return app.do("get_memory", memory_id=memory_id)["edges"]["stated"]


def edge(src: str, dst: str) -> Edge:
    return Edge(
        id=f"{src}-{dst}",
        src=src,
        dst=dst,
        kind="same_as",
        src_kind="note",
        dst_kind="note",
        actor="ann",
        created_at=0,
        confirmed_at=0,
    )


def test_a_memory_is_read_with_its_edges_in_both_directions(app: ProjectApp):
    one, other, turn = pin(app, "One"), pin(app, "Two"), app.do("record_turn", content="Hello")["turn_id"]
    first = connect(app, one, "derives_from", turn, confidence=0.5)
    second = connect(app, other, "supersedes", one)

    assert stated_edges(app, one) == [
        {
            "edge_id": first,
            "kind": "derives_from",
            "direction": "out",
            "id": turn,
            "what": "turn",
            "confidence": 0.5,
            "state": "remembered",
        },
        {
            "edge_id": second,
            "kind": "supersedes",
            "direction": "in",
            "id": other,
            "what": "pinned",
            "confidence": 1.0,
            "state": "remembered",
        },
    ]
    assert [each["state"] for each in stated_edges(app, other)] == ["superseded"]
    assert [each["direction"] for each in stated_edges(app, turn)] == ["in"]


def test_a_forgotten_end_is_marked_and_says_nothing(app: ProjectApp):
    one, other = pin(app, "One"), pin(app, "A secret thought")
    connect(app, one, "derives_from", other)
    app.do("forget_memory", memory_id=other)

    read = app.do("get_memory", memory_id=one)

    assert [each["state"] for each in read["edges"]["stated"]] == ["forgotten"]
    assert "secret" not in str(read)
    app.do("forget_memory", memory_id=other, restore=True)
    assert [each["state"] for each in stated_edges(app, one)] == ["remembered"]


def test_an_end_that_another_family_keeps_has_no_state_here(app: ProjectApp):
    one, note = pin(app, "One"), app.do("notes_create", title="A note", body="B")["id"]
    connect(app, one, "derives_from", note)

    (shown,) = stated_edges(app, one)

    assert (shown["id"], shown["what"], "state" in shown) == (note, "note", False)


@pytest.mark.parametrize(("out", "into", "cut"), [(50, 0, False), (51, 0, True), (25, 25, False), (25, 26, True)])
def test_long_lists_are_cut_and_say_so(app: ProjectApp, out: int, into: int, *, cut: bool):
    one = pin(app, "One")
    rows = project_of(app).rows(EDGES)
    app.store.write([rows.put(edge(one, f"to-{number}")) for number in range(out)])
    if into:
        app.store.write([rows.put(edge(f"from-{number}", one)) for number in range(into)])

    edges = app.do("get_memory", memory_id=one)["edges"]

    assert (len(edges["stated"]), edges["stated_cut"]) == (50, cut)


def test_edges_end_with_what_is_purged_at_either_end(app: ProjectApp, tmp_path: Path):
    one, other, third = pin(app, "One"), pin(app, "Two"), pin(app, "Three")
    connect(app, one, "derives_from", other, metadata={"because": "swordfish"})
    connect(app, third, "supersedes", other, metadata={"because": "swordfish"})
    connect(app, one, "same_as", third)
    app.do("forget_memory", memory_id=other)
    app.wait(days=29)
    app.run_jobs()
    assert {each["state"] for each in stated_edges(app, one)} == {"forgotten", "remembered"}
    app.wait(days=1)
    app.run_jobs()

    assert [each["kind"] for each in stated_edges(app, one)] == ["same_as"]
    assert [each["kind"] for each in stated_edges(app, third)] == ["same_as"]
    app.wait(days=8)
    app.database.sweep()
    items = SqliteTenantScan(tmp_path / "almanac.db", clock=app.clock).items("acme", expired=True)
    assert not [item for item in items if "swordfish" in str(item.attributes)]


def test_many_edges_of_what_is_purged_end_in_steps(app: ProjectApp):
    one = pin(app, "One")
    rows = project_of(app).rows(EDGES)
    for start in range(0, 100, 50):
        app.store.write([rows.put(edge(one, f"to-{number}")) for number in range(start, start + 50)])
        app.store.write([rows.put(edge(f"from-{number}", one)) for number in range(start, start + 50)])
    app.do("forget_memory", memory_id=one)
    app.wait(days=30)

    left: list[int] = []
    for _ in range(4):
        purge_forgotten(app.services, app.caller.scope)
        left.append(len(rows.query(one, limit=500).records) + len(rows.query(one, index="gsi1", limit=500).records))

    assert left == [110, 20, 0, 0]
    assert all_of(app, PURGES) == []
