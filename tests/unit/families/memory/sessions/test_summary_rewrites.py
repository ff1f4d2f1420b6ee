"""Test that summaries and reflections change when their sources are forgotten or restored."""

from pathlib import Path

import pytest

from almanac.families.memory.core.records import Memory
from almanac.families.memory.sessions.reflections import reflect_nightly
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import (
    forget,
    memories_of,
    memory_of,
    project_of,
    record,
    restore,
)
from tests.unit.families.memory.sessions.talks import SENTENCES, talk


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def summarise_session(app: ProjectApp, session: str = "s1") -> Memory:
    return memory_of(app, app.do("summarize_session", session_id=session, force=True)["memory_id"])


def reflect_on_two_sessions(app: ProjectApp) -> Memory:
    """Return a reflection over two sessions, of the first five and the other five sentences."""
    talk(app, 5, "s1")
    talk(app, 5, "s2", first=5)
    summarise_session(app, "s1")
    summarise_session(app, "s2")
    app.react()
    app.wait(days=2)
    assert reflect_nightly(project_of(app)) == 1
    (reflection,) = memories_of(app, "reflection")
    return reflection


def test_a_forgotten_turn_is_taken_out_and_comes_back_when_restored(app: ProjectApp) -> None:
    turns = talk(app, 8)
    before = summarise_session(app)
    assert SENTENCES[1] in before.content
    forget(app, turns[1].id)
    app.react()
    after = memory_of(app, before.id)
    assert "Frankfurt" not in after.content
    assert turns[1].id not in after.derived_from
    assert after.version == before.version + 1
    assert [step.what for step in after.history] == ["recorded", "rewritten"]
    assert after.forgotten_at is None
    restore(app, turns[1].id)
    app.react()
    again = memory_of(app, before.id)
    assert again.content == before.content
    assert again.derived_from == before.derived_from


def test_search_knows_the_summary_as_it_is_now(app: ProjectApp) -> None:
    turns = talk(app, 8)
    before = summarise_session(app)
    forget(app, turns[1].id)
    app.react()
    written = [event.payload for event in app.events("document_written") if event.payload["id"] == before.id]
    assert [payload["version"] for payload in written] == [1, 2]


def test_a_turn_that_no_summary_quotes_changes_none(app: ProjectApp) -> None:
    talk(app, 8)
    small = record(app, "ok thanks")
    before = summarise_session(app)
    forget(app, small.id)
    app.react()
    assert memory_of(app, before.id) == before


def test_a_summary_of_which_nothing_is_left_is_emptied_and_forgotten(app: ProjectApp) -> None:
    turns = talk(app, 2)
    before = summarise_session(app)
    for turn in turns:
        forget(app, turn.id)
    app.react()
    after = memory_of(app, before.id)
    assert after.content == ""
    assert after.forgotten_at == app.now
    assert after.purge_at == app.now + 30 * 86_400_000
    assert [event.payload["memory_id"] for event in app.events("memory_forgotten")][-1] == before.id
    restore(app, turns[0].id)
    app.react()
    back = memory_of(app, before.id)
    assert back.content == f"Ann: {SENTENCES[0]}"
    assert back.forgotten_at is None
    assert back.purge_at is None
    assert [step.what for step in back.history][-3:] == ["forgotten", "rewritten", "restored"]


def test_an_emptied_summary_that_somebody_restores_stays_forgotten(app: ProjectApp) -> None:
    (turn,) = talk(app, 1)
    before = summarise_session(app)
    forget(app, turn.id)
    app.react()
    restore(app, before.id)
    app.react()
    assert memory_of(app, before.id).forgotten_at is not None


def test_a_summary_that_somebody_forgot_stays_so_and_loses_the_words_all_the_same(app: ProjectApp) -> None:
    turns = talk(app, 8)
    before = summarise_session(app)
    forget(app, before.id)
    forget(app, turns[1].id)
    app.react()
    hidden = memory_of(app, before.id)
    assert hidden.forgotten_at is not None
    assert "Frankfurt" not in hidden.content
    restore(app, turns[1].id)
    app.react()
    assert memory_of(app, before.id).forgotten_at is not None


def test_a_summary_that_somebody_forgot_is_not_made_anew_once_it_is_deleted(app: ProjectApp) -> None:
    turns = talk(app, 3)
    before = summarise_session(app)
    forget(app, before.id)
    app.react()
    app.wait(days=31)
    forget(app, turns[0].id)
    restore(app, turns[0].id)
    app.react()
    assert memories_of(app, "consolidated") == []


def test_a_turn_without_a_session_or_a_summary_has_nothing_to_follow(app: ProjectApp) -> None:
    alone, waiting = record(app, "Alone it stands.", None), record(app, "Not summarised yet.")
    forget(app, alone.id)
    forget(app, waiting.id)
    app.react()
    assert memories_of(app, "consolidated") == []


def test_a_forgotten_turn_is_taken_out_of_the_reflection_too(app: ProjectApp) -> None:
    before = reflect_on_two_sessions(app)
    source = memories_of(app, "consolidated")[0]
    quoted = next(turn for turn in map(project_of(app).find, source.derived_from) if turn is not None)
    assert quoted.content in before.content
    forget(app, quoted.id)
    app.react()
    after = memory_of(app, before.id)
    assert quoted.content not in after.content
    assert after.derived_from == before.derived_from
    assert [step.what for step in after.history] == ["recorded", "rewritten"]
    restore(app, quoted.id)
    app.react()
    assert memory_of(app, before.id).content == before.content


def test_a_forgotten_summary_is_taken_out_of_its_reflection(app: ProjectApp) -> None:
    before = reflect_on_two_sessions(app)
    source = memories_of(app, "consolidated")[0]
    forget(app, source.id)
    app.react()
    after = memory_of(app, before.id)
    assert all(sentence not in after.content for sentence in sentences(source))
    restore(app, source.id)
    app.react()
    assert memory_of(app, before.id).content == before.content


def sentences(summary: Memory) -> list[str]:
    return [line.partition(": ")[2] for line in summary.content.splitlines()]


def test_a_superseded_summary_is_taken_out_of_its_reflection(app: ProjectApp) -> None:
    before = reflect_on_two_sessions(app)
    source = memories_of(app, "consolidated")[0]
    newer = app.do("pin_memory", content="What was said then no longer counts.")["memory"]["id"]
    app.do("create_edge", src_id=newer, dst_id=source.id, kind="supersedes")
    app.react()
    after = memory_of(app, before.id)
    assert all(sentence not in after.content for sentence in sentences(source))
    app.do("create_edge", src_id=newer, dst_id=source.id, kind="supersedes", remove=True)
    app.react()
    assert memory_of(app, before.id).content == before.content
