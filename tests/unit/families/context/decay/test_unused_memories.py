"""The fading of layer 3, as the clock does it."""

from datetime import timedelta

import pytest
from msgspec.structs import replace as altered

from almanac.families.context.decay.records import ROUNDS
from almanac.families.context.decay.unused_memories import D_MS, fades, forget_faded, score
from almanac.families.context.summaries.originals import Choice
from almanac.families.context.summaries.writer import SummaryRequest, summarise
from almanac.families.memory.core.records import Memory, MemoryKind
from almanac.families.memory.memories.recall_effects import note_recall
from tests.project_app import ProjectApp
from tests.unit.families.context.projects import Projects

DAY = 86_400_000


def memory(uses: int = 0, used_day: int = 0, kind: MemoryKind = "semantic", content: str = "x") -> Memory:
    used_at = used_day * DAY
    return Memory(id="m", kind=kind, content=content, at=0, recorded_at=0, actor="a", uses=uses, used_at=used_at)


def test_the_score_is_that_of_the_contract() -> None:
    assert score(memory(), 0) == pytest.approx(1.0)
    assert score(memory(), D_MS) == pytest.approx(0.3 * 0.60653 + 0.7 * 0.36788, abs=1e-4)
    assert score(memory(uses=3, used_day=14), 2 * D_MS) == pytest.approx(0.3 * 0.36788 + 0.7 * 0.36788 + 0.3, abs=1e-4)
    assert score(memory(uses=50), 100 * D_MS) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize(
    ("day", "one", "gone"),
    [
        (28, memory(), False),
        (29, memory(), True),
        (42, memory(used_day=28), False),
        (60, memory(uses=1), True),
        (400, memory(uses=2), False),
        (400, memory(kind="pinned"), False),
        (400, memory(content="The freeze begins on 1971-12-01."), False),
        (800, memory(content="The freeze begins on 1971-12-01."), True),
    ],
)
def test_what_nobody_uses_goes_after_four_weeks(day: int, one: Memory, gone: bool) -> None:
    assert fades(one, day * DAY) is gone


def test_the_clock_forgets_it_in_all_projects_and_says_why(app: ProjectApp, projects: Projects) -> None:
    shared, pinned = projects.share("Services log in UTC."), projects.share("Logs rotate daily.", "pinned")
    app.wait(days=30)
    app.run_jobs()
    gone = projects.record(shared)
    assert [(step.what, step.actor) for step in gone.history] == [("recorded", "ann"), ("faded", "almanac")]
    hits = app.do("search_memory", query="How do services log?", caller=projects.api)["hits"]
    assert [hit["id"] for hit in hits] == [pinned]
    app.do("forget_memory", memory_id=shared, restore=True, caller=projects.api)
    assert projects.record(shared).forgotten_at is None


def test_layer_2_does_not_fade(app: ProjectApp, projects: Projects) -> None:
    own = projects.keep("This project deploys on Tuesdays.")
    app.wait(days=300)
    app.run_jobs()
    assert projects.record(own, projects.own()).forgotten_at is None


def test_what_is_recalled_stays(app: ProjectApp, projects: Projects) -> None:
    used, unused = projects.share("Services log in UTC."), projects.share("The cat sleeps.")
    app.wait(days=20)
    note_recall(projects.open_shared(), [used])
    app.react()
    app.wait(days=15)
    app.run_jobs()
    assert projects.record(used).forgotten_at is None
    assert projects.record(unused).forgotten_at is not None


def test_a_second_run_changes_nothing(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share("Services log in UTC.")
    app.wait(days=30)
    app.run_jobs()
    after = projects.record(shared)
    app.run_jobs()
    assert projects.record(shared) == after


def test_a_run_is_bounded_and_the_next_one_goes_on(app: ProjectApp, projects: Projects) -> None:
    project = projects.open_shared()
    kept: list[Memory] = []
    for number in range(760):
        # The first 510 are used often: they stay, and are not to hold up the others.
        one = altered(
            memory(uses=5 if number < 510 else 0, content=f"Note {number}."),
            id=project.new_id(app.now),
            at=app.now,
            recorded_at=app.now,
            used_at=app.now,
        )
        kept.append(one)
        app.clock.instant += timedelta(milliseconds=number % 2)
    for start in range(0, len(kept), 40):
        project.store.write([each for one in kept[start : start + 40] for each in project.put(one, is_new=True)])
    app.wait(days=40)
    counts = list[int]()
    for _ in range(6):
        forget_faded(app.services, project.scope)
        counts.append(sum(projects.record(one.id).forgotten_at is not None for one in kept))
    assert max(later - earlier for earlier, later in zip([0, *counts], counts, strict=False)) == 100
    assert counts[0] == 0
    assert counts[-1] == 250
    standing = project.rows(ROUNDS).get()
    assert standing is not None
    assert standing.next_at == 0


def test_a_faded_summary_does_not_bring_back_what_it_was_made_of(app: ProjectApp, projects: Projects) -> None:
    ids = [projects.share(f"The service {name} listens on port 80.") for name in ("auth", "cart")]
    app.wait(days=20)
    project = projects.open_shared()
    summary = summarise(project, SummaryRequest(choice=Choice(until=project.now()), target_tokens=100)).summary
    assert summary is not None
    app.wait(days=30)
    app.run_jobs()
    app.react()
    assert projects.record(summary.id).forgotten_at is not None
    assert {projects.record(one).superseded_by for one in ids} == {summary.id}
    app.do("forget_memory", memory_id=summary.id, restore=True)
    app.do("forget_memory", memory_id=summary.id)
    app.react()
    assert {projects.record(one).superseded_by for one in ids} == {None}


def test_of_two_tenants_each_loses_its_own(app: ProjectApp, projects: Projects) -> None:
    ours, theirs = (
        projects.share("Services log in UTC."),
        projects.share("Services log in CET.", caller=projects.foreign),
    )
    app.wait(days=30)
    app.run_jobs()
    assert projects.record(ours).forgotten_at is not None
    assert projects.record(theirs, projects.open_shared(projects.foreign)).forgotten_at is None


def test_however_many_are_of_one_instant_each_is_looked_at(app: ProjectApp, projects: Projects) -> None:
    project = projects.open_shared()
    kept = [
        altered(
            memory(uses=5 if number < 1_100 else 0, content=f"Note {number}."),
            id=project.new_id(app.now),
            at=app.now,
            recorded_at=app.now,
            used_at=app.now,
        )
        for number in range(1_180)
    ]
    kept.sort(key=lambda one: (-one.uses, one.id))
    ids = sorted(one.id for one in kept)
    kept = [altered(one, id=name) for one, name in zip(kept, ids, strict=True)]
    for start in range(0, len(kept), 40):
        project.store.write([each for one in kept[start : start + 40] for each in project.put(one, is_new=True)])
    app.wait(days=40)
    for _ in range(3):
        forget_faded(app.services, project.scope)
    assert [projects.record(one.id).forgotten_at is not None for one in kept] == [one.uses == 0 for one in kept]
