"""Test a summary and its memories when one of them is forgotten, restored or half written."""

import pytest
from msgspec.structs import replace as altered

from almanac.families.context.core.context import open_context
from almanac.families.context.summaries.originals import Choice
from almanac.families.context.summaries.restoration import restore_originals, supersede_originals
from almanac.families.context.summaries.writer import SUMMARISED, SummaryRequest, new_summary, summarise
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory
from almanac.families.memory.memories.forget_and_restore import forget
from tests.project_app import ProjectApp
from tests.unit.families.context.projects import ProcessStopped, Projects, before_first_write, project_stopping_after

FACTS = [f"The service {name} listens on port {8000 + number}." for number, name in enumerate(["auth", "cart", "mail"])]


@pytest.fixture(params=[2, 3])
def project(request: pytest.FixtureRequest, app: ProjectApp) -> MemoryProject:
    """The project of either layer."""
    return open_context(app.services, app.caller, app.clock).project_of(request.param)


def store_memories(app: ProjectApp, projects: Projects, project: MemoryProject, count: int = 3) -> list[str]:
    keep = projects.share if project.is_shared else projects.keep
    texts = FACTS if count == 3 else [f"Host {number} stands in rack {number * 7}." for number in range(count)]
    ids = list[str]()
    for text in texts:
        ids.append(keep(text))
        app.wait(seconds=1)
    app.wait(days=40)
    return ids


def summary_request(project: MemoryProject) -> SummaryRequest:
    return SummaryRequest(choice=Choice(until=project.now()), target_tokens=500)


def make_summary(project: MemoryProject) -> Memory:
    summary = summarise(project, summary_request(project)).summary
    assert summary is not None
    return summary


def superseding_ids(projects: Projects, project: MemoryProject, ids: list[str]) -> set[str | None]:
    return {projects.record(one, project).superseded_by for one in ids}


def test_the_deletion_of_a_summary_brings_back_what_it_was_made_of(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids = store_memories(app, projects, project, 60)
    summary = make_summary(project)
    assert superseding_ids(projects, project, ids) == {summary.id}
    forget(project, summary.id)
    assert restore_originals(project, summary) == 60
    assert superseding_ids(projects, project, ids) == {None}
    assert restore_originals(project, summary) == 0
    assert len(app.do("search_memory", query="Which host stands in rack 21?", k=100)["hits"]) == 60


def test_forget_memory_brings_them_back_as_well_and_restore_hides_them_again(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids, summary = store_memories(app, projects, project), make_summary(project)
    app.do("forget_memory", memory_id=summary.id)
    app.react()
    assert superseding_ids(projects, project, ids) == {None}
    app.do("forget_memory", memory_id=summary.id, restore=True)
    app.react()
    assert superseding_ids(projects, project, ids) == {summary.id}
    assert app.defects == []


def test_a_forgotten_memory_leaves_its_summary_and_comes_back_into_it(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids, summary = store_memories(app, projects, project), make_summary(project)
    app.do("forget_memory", memory_id=ids[1])
    app.react()
    now = projects.record(summary.id, project)
    assert "cart" not in now.content
    assert "auth" in now.content
    assert (now.metadata["summarizedCount"], now.metadata["originalIds"]) == (2, [ids[0], ids[2]])
    assert now.history[-1].what == "rewritten"
    assert "cart" not in str(app.do("search_memory", query="cart port")["hits"])

    app.do("forget_memory", memory_id=ids[1], restore=True)
    app.react()
    assert projects.record(summary.id, project).content == summary.content
    assert superseding_ids(projects, project, ids) == {summary.id}


def test_a_summary_of_which_all_was_forgotten_is_forgotten(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids, summary = store_memories(app, projects, project), make_summary(project)
    for one in ids:
        app.do("forget_memory", memory_id=one)
    app.react()
    gone = projects.record(summary.id, project)
    assert gone.forgotten_at is not None
    assert "port" not in gone.content
    app.do("forget_memory", memory_id=ids[0], restore=True)
    app.react()
    assert superseding_ids(projects, project, ids[:1]) == {None}
    assert app.do("get_memory", memory_id=ids[0])["memory"]["content"] == FACTS[0]


def test_of_a_summary_of_60_the_last_one_leaves_it_too(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids, summary = store_memories(app, projects, project, 60), make_summary(project)
    app.do("forget_memory", memory_id=ids[-1])
    app.react()
    assert projects.record(summary.id, project).metadata["summarizedCount"] == 59


def test_one_that_is_brought_back_alone_stays_out_of_it(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids, summary = store_memories(app, projects, project), make_summary(project)
    app.do("forget_memory", memory_id=ids[0], restore=True)
    app.react()
    assert superseding_ids(projects, project, ids) == {None, summary.id}
    assert projects.record(summary.id, project).metadata["summarizedCount"] == 2
    app.do("forget_memory", memory_id=summary.id)
    app.do("forget_memory", memory_id=summary.id, restore=True)
    app.react()
    assert superseding_ids(projects, project, ids) == {summary.id}
    assert projects.record(summary.id, project).metadata["summarizedCount"] == 3


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_what_was_stopped_half_way_is_ended_by_its_event(
    app: ProjectApp, projects: Projects, project: MemoryProject, writes: int
) -> None:
    ids = store_memories(app, projects, project, 60)
    with pytest.raises(ProcessStopped):
        summarise(project_stopping_after(writes, project), summary_request(project))
    assert None in superseding_ids(projects, project, ids)
    app.react()
    (summary,) = superseding_ids(projects, project, ids)
    assert summary is not None
    assert projects.record(summary, project).metadata["summarizedCount"] == 60
    assert summarise(project, summary_request(project)).summary is None


def test_a_deleted_summary_takes_nothing_out_any_more(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids, summary = store_memories(app, projects, project), make_summary(project)
    forget(project, summary.id)
    restore_originals(project, summary)
    app.react()
    assert superseding_ids(projects, project, ids) == {None}


def test_of_two_at_once_each_memory_is_in_one_summary(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids = store_memories(app, projects, project)
    first = summarise(project, summary_request(project)).summary
    assert first is not None
    # The other one had read the same memories and is only now writing.
    second = first_again(projects, project, ids)
    assert supersede_originals(project, second) == 0
    app.react()
    assert superseding_ids(projects, project, ids) == {first.id}
    assert projects.record(second.id, project).forgotten_at is not None
    assert projects.record(first.id, project).forgotten_at is None


def first_again(projects: Projects, project: MemoryProject, ids: list[str]) -> Memory:
    memories = [projects.record(one, project) for one in ids]
    summary = new_summary(project, summary_request(project), memories)
    told = project.event(SUMMARISED, summary.id, {"memory_id": summary.id}, at=project.now())
    project.store.write(project.put(summary, is_new=True, events=[told]))
    return summary


def test_a_memory_that_is_pinned_meanwhile_stays(app: ProjectApp, projects: Projects, project: MemoryProject) -> None:
    ids = store_memories(app, projects, project)
    summary = first_again(projects, project, ids)
    project.store.write(project.put(altered(projects.record(ids[0], project), kind="pinned"), is_new=False))
    app.react()
    assert superseding_ids(projects, project, ids) == {None, summary.id}
    assert "auth" not in projects.record(summary.id, project).content


def test_a_summary_that_is_forgotten_at_the_same_moment_takes_nothing(
    app: ProjectApp, projects: Projects, project: MemoryProject
) -> None:
    ids = store_memories(app, projects, project)
    summary = first_again(projects, project, ids)
    coming_between = before_first_write(project, lambda: forget(project, summary.id))
    assert supersede_originals(coming_between, summary) == 0
    assert superseding_ids(projects, project, ids) == {None}
