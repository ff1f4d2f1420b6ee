"""context_list: a layer, newest first, and counts of all."""

from typing import Any

import pytest

from almanac.families.context.storage import pages
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import (
    caller_without_sharing,
    context_of,
    neighbour,
    rows_of,
    store_memory,
)
from tests.unit.families.memory.memory_builder import MemoryBuilder


def list_contents(app: ProjectApp, **query: Any) -> list[str]:
    return [each["content"] for each in app.do("context_list", **query)["memories"]]


@pytest.fixture
def filled_app(app: ProjectApp) -> ProjectApp:
    """An app with memories of each layer, a second apart."""
    for number in range(5):
        type_ = "decision" if number % 2 else "bug_fix"
        metadata = {"tags": [f"t{number}"], "projectPath": f"/home/ann/p{number % 2}"}
        store_memory(app, f"two {number}", type_, pinned=number == 3, metadata=metadata)
        app.wait(seconds=1)
    store_memory(app, "one", "scratchpad")
    store_memory(app, "three", "convention", pinned=True)
    return app


def test_layer_2_comes_first_and_the_newest_of_it(filled_app: ProjectApp):
    result = filled_app.do("context_list")

    assert [each["content"] for each in result["memories"]] == ["two 4", "two 3", "two 2", "two 1", "two 0"]
    del result["memories"]
    assert result == {"total": 5, "limit": 20, "offset": 0, "layer": 2, "untrusted": True}


def test_each_layer_has_its_own(filled_app: ProjectApp):
    assert list_contents(filled_app, layer=1) == ["one"]
    assert list_contents(filled_app, layer=3) == ["three"]
    assert list_contents(filled_app, layer=3, caller=neighbour(filled_app)) == ["three"]
    assert list_contents(filled_app, caller=neighbour(filled_app)) == []


@pytest.mark.parametrize(
    ("query", "contents"),
    [
        ({"type": "bug_fix"}, ["two 4", "two 2", "two 0"]),
        ({"tags": ["t1", "t4", "none"]}, ["two 4", "two 1"]),
        ({"tags": []}, ["two 4", "two 3", "two 2", "two 1", "two 0"]),
        ({"projectPath": "/home/ann/p1/"}, ["two 3", "two 1"]),
        ({"projectPath": "/home/ann"}, ["two 4", "two 3", "two 2", "two 1", "two 0"]),
        ({"projectPath": "/"}, ["two 4", "two 3", "two 2", "two 1", "two 0"]),
        ({"projectPath": "/home/an"}, []),
        ({"projectPath": "/home/ann/p1/src"}, []),
        ({"type": "bug_fix", "tags": ["t2", "t3"], "projectPath": "/home/ann/p0"}, ["two 2"]),
        ({"limit": 2, "offset": 1}, ["two 3", "two 2"]),
        ({"offset": 9}, []),
    ],
)
def test_filters_narrow_it(filled_app: ProjectApp, query: dict[str, Any], contents: list[str]):
    assert list_contents(filled_app, **query) == contents


def test_what_has_no_place_is_about_none(filled_app: ProjectApp):
    store_memory(filled_app, "nowhere")

    assert "nowhere" not in list_contents(filled_app, projectPath="/home/ann")
    assert "nowhere" in list_contents(filled_app)


def test_pages_follow_each_other_to_the_end(filled_app: ProjectApp):
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = filled_app.do("context_list", limit=2, offset=offset)
        assert (page["total"], page["offset"]) == (5, offset)
        seen += [each["content"] for each in page["memories"]]
        offset = page.get("nextOffset")

    assert seen == [f"two {number}" for number in reversed(range(5))]


def test_what_other_tools_remembered_is_an_observation(app: ProjectApp):
    app.do("pin_memory", content="Deploys on Tuesdays")
    app.do("extract_semantic", content="Ann likes tea")
    MemoryBuilder(app).memory("What was said", "consolidated")
    MemoryBuilder(app).memory("What was thought", "reflection")

    assert sorted(list_contents(app, type="observation")) == ["Ann likes tea", "Deploys on Tuesdays"]
    assert app.do("context_list")["total"] == 2


def test_what_is_hidden_is_in_no_list_and_not_counted(app: ProjectApp):
    kept, old, gone = store_memory(app, "kept"), store_memory(app, "old"), store_memory(app, "gone")
    store_memory(app, "soon", ttl=60, layer=2)
    store_memory(app, "now", "scratchpad", ttl=60)
    app.do("create_edge", src_id=kept, dst_id=old, kind="supersedes")
    app.do("context_delete", memoryId=gone)
    app.wait(minutes=1)

    assert (list_contents(app), list_contents(app, layer=1)) == (["kept"], [])
    assert app.do("context_list", stats=True)["total"] == 1
    assert len(rows_of(app)) == 5


def test_the_example_of_the_contract_counts_each_layer(filled_app: ProjectApp):
    result = filled_app.do("context_list", stats=True)

    assert result == {"l1": 1, "l2": 5, "l3": 1, "total": 7, "pinned": {"l2": 1, "l3": 1}}


def test_a_project_that_is_closed_off_sees_nothing_of_layer_3(filled_app: ProjectApp):
    assert filled_app.do("context_list", stats=True, caller=caller_without_sharing(filled_app))["l3"] == 0
    assert "does not take part" in filled_app.refusal(
        "context_list", layer=3, caller=caller_without_sharing(filled_app)
    )


def test_the_end_of_what_is_looked_at_is_told(filled_app: ProjectApp, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pages, "MOST", 4)

    page = filled_app.do("context_list", limit=2, offset=3)
    assert (len(page["memories"]), page["total"], page["totalIsAtLeast"], page["lookedAt"]) == (1, 4, True, 4)
    assert "nextOffset" not in page
    assert filled_app.do("context_list", stats=True)["atLeast"] == ["l2"]
    monkeypatch.setattr(pages, "MOST", 5)
    assert "totalIsAtLeast" not in filled_app.do("context_list", limit=2)
    assert "atLeast" not in filled_app.do("context_list", stats=True)


class SlowClock:
    """A CPU clock that moves on by some seconds at each look, as on a slow processor."""

    def __init__(self, seconds: float) -> None:
        self._step, self._spent = seconds, 0.0

    def __call__(self) -> float:
        self._spent += self._step
        return self._spent


def test_counting_ends_when_it_has_taken_long_and_a_page_is_filled_for_longer(filled_app: ProjectApp):
    context = context_of(filled_app)

    page = pages.list_page(context, pages.Query(layer=2, limit=2), SlowClock(0.1))
    assert (len(page.memories), page.total, page.is_at_least, page.next_offset) == (2, 3, True, 2)
    seldom = pages.list_page(context, pages.Query(layer=2, limit=2, type="bug_fix"), SlowClock(0.3))
    assert (len(seldom.memories), seldom.total, seldom.is_at_least, seldom.next_offset) == (2, 2, True, 2)
    none = pages.list_page(context, pages.Query(layer=2, type="convention"), SlowClock(0.3))
    assert (none.memories, none.is_at_least, none.looked_at, none.next_offset) == ((), True, 4, None)
    assert pages.count_layer(context, 2, SlowClock(0.1)) == pages.LayerCount(3, 1, is_at_least=True)


def test_a_page_of_long_texts_ends_before_its_limit(app: ProjectApp):
    for number in range(40):
        store_memory(app, f"{number} " + "x" * 16_000)

    page = app.do("context_list", limit=100)

    assert 30 <= len(page["memories"]) < 40
    assert (page["total"], page["nextOffset"]) == (40, len(page["memories"]))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"limit": 101}, '"limit" must be from 1 to 100'),
        ({"offset": -1}, '"offset" must be from 0'),
        ({"offset": 10_001}, '"offset" must be from 0'),
        ({"layer": 0}, '"layer" must be one of'),
        ({"type": "idea"}, '"type" must be one of'),
        ({"projectPath": "../x"}, "leaves its own folder"),
    ],
)
def test_bounds_are_told(app: ProjectApp, query: dict[str, Any], said: str):
    assert said in app.refusal("context_list", **query)
