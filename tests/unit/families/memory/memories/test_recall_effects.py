"""What recalling does to a memory."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace as altered

from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.memories.recall_effects import MEMORY_RECALLED, RECALL, note_recall
from almanac.kernel.errors import Unavailable
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.messages import Message
from almanac.platform.store.port import Change
from almanac.platform.store.sqlite.store import SqliteStore
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import OTHER_PROJECT, project_of, record_turn, search_ids


def fact(app: ProjectApp, content: str = "Indent with tabs.") -> str:
    return app.do("extract_semantic", content=content)["memory"]["id"]


def record(app: ProjectApp, memory_id: str) -> Memory:
    stored = project_of(app).rows(MEMORIES).get(memory_id)
    assert stored is not None
    return stored


class FullStore(SqliteStore):
    def write(self, changes: Sequence[Change]) -> None:
        raise Unavailable("The disk is full.")


def test_each_recall_is_a_use_of_the_memory_and_of_no_turn(app: ProjectApp):
    one, other, turn = fact(app), fact(app, "The office is in Berlin."), record_turn(app, "A turn").id
    app.wait(days=30)

    note_recall(project_of(app), [turn, one, one, "unknown", other])
    app.react()

    for memory in (record(app, one), record(app, other)):
        assert (memory.uses, memory.used_at) == (1, app.now)
        assert memory.salience == pytest.approx(0.35 + 0.65 / 4)
    assert len(app.events(MEMORY_RECALLED)) == 1


def test_search_has_nothing_to_learn_from_a_recall(app: ProjectApp):
    one = fact(app)
    app.follow()
    before = record(app, one)

    note_recall(project_of(app), [one])
    app.react()
    app.follow()

    assert record(app, one) == altered(before, uses=1, used_at=app.now, salience=record(app, one).salience)
    assert search_ids(app, "tabs") == [one]


def test_an_event_that_comes_twice_counts_once(app: ProjectApp):
    one = fact(app)
    note_recall(project_of(app), [one])
    (event,) = app.events(MEMORY_RECALLED)
    delivery = Delivery(app.store, app.services, app.clock, report=lambda _, error: app.defects.append(error))
    for _ in range(2):
        assert delivery.deliver(Message(event), RECALL, tried=True) is None

    assert (record(app, one).uses, app.defects) == (1, [])


def test_what_is_forgotten_meanwhile_stays_so(app: ProjectApp):
    one = fact(app)
    note_recall(project_of(app), [one])
    app.do("forget_memory", memory_id=one)
    app.react()

    assert record(app, one).uses == 0
    assert app.refusal("get_memory", memory_id=one).startswith("not_found")


def test_nothing_of_another_project_is_raised(app: ProjectApp):
    one = fact(app)

    note_recall(project_of(app, OTHER_PROJECT), [one])
    app.react()

    assert record(app, one).uses == 0


def test_only_the_first_ten_count_and_nothing_is_written_for_none(app: ProjectApp):
    facts = [fact(app, f"Fact {number}") for number in range(12)]

    note_recall(project_of(app), facts)
    note_recall(project_of(app), [])
    app.react()

    assert [record(app, one).uses for one in facts] == [1] * 10 + [0] * 2
    assert len(app.events(MEMORY_RECALLED)) == 1


def test_a_read_is_answered_where_nothing_can_be_noted(app: ProjectApp, tmp_path_factory: pytest.TempPathFactory):
    full = FullStore(tmp_path_factory.mktemp("full") / "almanac.db", clock=app.clock, cursor_secret=b"c" * 32)

    note_recall(altered(project_of(app), store=full), ["x"])

    assert app.events(MEMORY_RECALLED) == []
