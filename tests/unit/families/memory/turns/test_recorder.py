"""record_turn: once each, in the order of its session, with its event and its document in the same write."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from almanac.families.memory.core.records import RECENT_TURNS, SESSIONS, RecentTurn, RecentTurns
from almanac.families.memory.turns.plan import DUE_MS
from almanac.kernel.caller import Scope
from tests.project_app import ProjectApp
from tests.unit.families.memory.turns.stored import forget, project_of, session, turn, turns, turns_of

SECRET = "AKIAZ7Q3MNPLX4RW2TUV"
HALF = "\ud800"


def test_a_turn_is_kept_with_all_that_was_said_of_it(app: ProjectApp):
    told = app.do(
        "record_turn",
        content="Deploys happen on Tuesdays 🚀",
        role="user",
        session_id="7f3a",
        metadata={"kind": "note", "n": 1.5, "deep": {"x": [None, True]}},
        client_turn_id="c-1",
        tool="claude-code",
        occurred_at=1_770_000_000_000,
        speaker="Ann",
        tags=["deploy", "deploy", "infra"],
    )

    kept = turn(app, told["turn_id"])
    assert told == {"ok": True, "turn_id": kept.id, "deduped": False}
    assert (kept.content, kept.role, kept.session, kept.position) == (
        "Deploys happen on Tuesdays 🚀",
        "user",
        "7f3a",
        0,
    )
    assert kept.metadata == {"kind": "note", "n": 1.5, "deep": {"x": [None, True]}}
    assert (kept.tool, kept.speaker, kept.tags, kept.actor) == ("claude-code", "Ann", ("deploy", "infra"), "ann")
    assert (kept.at, kept.recorded_at) == (1_770_000_000_000, app.now)
    assert [(step.what, step.actor, step.at) for step in kept.history] == [("recorded", "ann", app.now)]


def test_a_call_that_began_before_an_update_is_known_after_it(app: ProjectApp):
    first = app.do("record_turn", content="x", session_id="s")
    kept, rows = session(app, "s"), project_of(app).rows
    assert kept.recent is not None
    # As versions before this one stored it, with whole digests.
    recent = tuple(RecentTurn(one.digest + "0" * 16, one.turn, app.now) for one in kept.recent["ann"])
    apart = RecentTurns(actor="ann", session="session/s", turns=recent, expires_at=app.now + 1000)
    session_then = msgspec.structs.replace(kept, recent=None)
    app.store.write([rows(SESSIONS).put(session_then), rows(RECENT_TURNS).put(apart)])

    assert app.do("record_turn", content="x", session_id="s")["turn_id"] == first["turn_id"]
    assert app.do("record_turn", content="y", session_id="s")["deduped"] is False
    assert app.do("record_turn", content="y", session_id="s")["deduped"] is True


def test_the_same_turn_is_recorded_once(app: ProjectApp):
    first = app.do("record_turn", content="x", session_id="s", metadata={"a": 1, "b": 2})
    before = len(app.events())
    again = app.do("record_turn", content="x", session_id="s", metadata={"b": 2, "a": 1})

    assert again == {"ok": True, "turn_id": first["turn_id"], "deduped": True}
    assert len(app.events()) == before
    assert session(app, "s").turns == 1


@pytest.mark.parametrize(
    "other",
    [
        {"content": "y"},
        {"session_id": "t"},
        {"metadata": {"a": 2}},
        {"role": "user"},
        {"speaker": "Ben"},
        {"tags": ["b"]},
        {"occurred_at": 1_770_000_000_000},
    ],
)
def test_another_turn_is_another_turn(app: ProjectApp, other: dict[str, Any]):
    said: dict[str, Any] = {"content": "x", "session_id": "s", "metadata": {"a": 1}, "tags": ["a"], "speaker": "Ann"}
    first = app.do("record_turn", **said)

    assert app.do("record_turn", **said | other)["turn_id"] != first["turn_id"]


def test_texts_that_only_join_alike_are_different_turns(app: ProjectApp):
    first = app.do("record_turn", content="ab", session_id="c")

    assert not app.do("record_turn", content="b", session_id="ca")["deduped"]
    assert not app.do("record_turn", content="abc")["deduped"]
    assert app.do("record_turn", content="ab", session_id="c")["turn_id"] == first["turn_id"]


def test_after_it_was_forgotten_a_turn_is_recorded_anew(app: ProjectApp):
    first = app.do("record_turn", content="x", session_id="s")["turn_id"]
    forget(app, first)

    anew = app.do("record_turn", content="x", session_id="s")

    assert not anew["deduped"]
    assert anew["turn_id"] != first
    assert turn(app, anew["turn_id"]).position == 1
    assert app.do("record_turn", content="x", session_id="s") == {**anew, "deduped": True}


def test_a_turn_that_is_purged_is_recorded_anew(app: ProjectApp):
    forget(app, app.do("record_turn", content="x")["turn_id"])
    app.wait(days=1)

    assert not app.do("record_turn", content="x")["deduped"]


def test_a_replay_answers_the_same_turn_for_the_same_actor(app: ProjectApp):
    first = app.do("record_turn", content="x", client_turn_id="c")
    bob = replace(app.caller, actor="bob")

    assert app.do("record_turn", content="x", client_turn_id="c") == {**first, "deduped": True}
    assert not app.do("record_turn", content="y", client_turn_id="c", caller=bob)["deduped"]
    assert app.do("record_turn", content="y", client_turn_id="c") == {**first, "deduped": True}
    assert turn(app, first["turn_id"]).content == "x"


def test_a_new_id_of_the_caller_is_a_new_turn_whatever_it_says(app: ProjectApp):
    first = app.do("record_turn", content="yes", session_id="s")

    for number in range(3):
        told = app.do("record_turn", content="yes", session_id="s", client_turn_id=f"c{number}")
        assert (told["deduped"], told["turn_id"] == first["turn_id"]) == (False, False)
    assert session(app, "s").turns == 4


def test_a_yes_after_another_question_and_one_by_somebody_else_are_turns_of_their_own(app: ProjectApp):
    bob = replace(app.caller, actor="bob")
    said = [("yes", app.caller), ("Deploy too?", app.caller), ("yes", app.caller), ("yes", bob)]
    told = [app.do("record_turn", content=text, session_id="s", caller=caller) for text, caller in said]

    assert not any(each["deduped"] for each in told)
    assert [turn(app, each["turn_id"]).actor for each in told] == ["ann", "ann", "ann", "bob"]


def test_what_is_said_again_after_ten_minutes_is_a_turn_of_its_own(app: ProjectApp):
    first = app.do("record_turn", content="The build failed.", session_id="s")
    app.wait(minutes=9)
    assert app.do("record_turn", content="The build failed.", session_id="s") == {**first, "deduped": True}
    app.wait(minutes=2)
    assert not app.do("record_turn", content="The build failed.", session_id="s")["deduped"]


class RecordingModel(RuleBasedStateMachine):
    """Callers say few words again and again, with ids and without, and the server restarts. The model knows the turns
    by id, and the last ones of each actor in each session."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = mkdtemp()
        self.app = ProjectApp(Path(self.folder))
        self.ids: dict[tuple[str, str], str] = {}
        self.last: dict[tuple[str, str | None], tuple[str, str, int]] = {}
        self.recorded: list[str] = []

    def teardown(self) -> None:
        self.app.database.close()
        rmtree(self.folder)

    @rule(
        actor=st.sampled_from(["ann", "bob"]),
        text=st.sampled_from(["yes", "no"]),
        session=st.sampled_from(["s", "t", None]),
        name=st.sampled_from([None, "1", "2"]),
    )
    def say(self, actor: str, text: str, session: str | None, name: str | None) -> None:
        arguments = {"content": text, "session_id": session, "client_turn_id": name}
        given = {key: value for key, value in arguments.items() if value is not None}
        told = self.app.do("record_turn", caller=replace(self.app.caller, actor=actor), **given)
        known = self.ids.get((actor, name)) if name is not None else self._repeated_turn(actor, session, text)
        assert told["deduped"] == (known is not None)
        if known is not None:
            assert told["turn_id"] == known
            return
        assert told["turn_id"] not in self.recorded
        self.recorded.append(told["turn_id"])
        self.last[actor, session] = text, told["turn_id"], self.app.now
        if name is not None:
            self.ids[actor, name] = told["turn_id"]

    def _repeated_turn(self, actor: str, session: str | None, text: str) -> str | None:
        said, turn_id, at = self.last.get((actor, session), ("", "", 0))
        return turn_id if said == text and self.app.now - at <= 600_000 else None

    @rule(minutes=st.sampled_from([1, 4, 11]))
    def wait(self, minutes: int) -> None:
        self.app.wait(minutes=minutes)

    @rule()
    def restart(self) -> None:
        now = self.app.clock.instant
        self.app.database.close()
        self.app = ProjectApp(Path(self.folder))
        self.app.clock.instant = now

    @invariant()
    def every_turn_is_stored_once(self) -> None:
        assert sorted(each.id for each in turns(self.app)) == sorted(self.recorded)


TestRecordingModel = RecordingModel.TestCase
TestRecordingModel.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)


def test_a_late_replay_does_not_bring_back_what_was_forgotten(app: ProjectApp):
    first = app.do("record_turn", content="x", client_turn_id="c")
    forget(app, first["turn_id"])

    late = app.do("record_turn", content="x", client_turn_id="c")

    assert (late["turn_id"], late["deduped"]) == (first["turn_id"], True)
    assert "forgotten" in late["notes"][0]


def test_after_it_is_purged_its_id_of_the_caller_is_free_again(app: ProjectApp):
    first = app.do("record_turn", content="x", client_turn_id="c")
    forget(app, first["turn_id"])
    app.wait(days=1)

    other = app.do("record_turn", content="y", client_turn_id="c")

    assert not other["deduped"]
    assert app.do("record_turn", content="y", client_turn_id="c") == {**other, "deduped": True}


def test_projects_and_tenants_know_nothing_of_each_other(app: ProjectApp):
    app.do("record_turn", content="x", session_id="s", client_turn_id="c")
    for scope in (Scope("acme", "app"), Scope("umbrella", "web")):
        other = replace(app.caller, scope=scope)
        assert not app.do("record_turn", content="x", session_id="s", client_turn_id="c", caller=other)["deduped"]


def test_secrets_are_nowhere_in_the_store(app: ProjectApp, tmp_path: Path):
    told = app.do(
        "record_turn",
        content=f"export AWS_KEY={SECRET}",
        metadata={"env": SECRET, "password": "correct-horse-9-Battery"},
        tags=[SECRET],
        speaker=f"Ann {SECRET}",
        tool=SECRET,
        session_id="s",
    )

    assert "aws_access_key" in told["redacted"]
    app.database.close()
    everything = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert SECRET.encode() not in everything
    assert b"correct-horse" not in everything


def test_a_digest_is_of_what_is_stored_so_that_no_secret_can_be_guessed_from_it(app: ProjectApp):
    one = app.do("record_turn", content=f"key {SECRET}")
    other = app.do("record_turn", content="key AKIAQ4W7ERTYU2PZ5XKM")

    assert (other["turn_id"], other["deduped"]) == (one["turn_id"], True)


@pytest.mark.parametrize("name", ["session_id", "client_turn_id"])
def test_a_secret_is_no_name(app: ProjectApp, name: str):
    arguments: dict[str, Any] = {"content": "x", name: SECRET}
    refused = app.refusal("record_turn", **arguments)

    assert f"{name} contains a secret" in refused
    assert SECRET not in refused


def test_a_session_counts_its_turns_and_is_due_ten_minutes_after_the_first(app: ProjectApp):
    began = app.now
    app.do("record_turn", content="a", session_id="s", occurred_at=began - 5000)
    app.wait(minutes=3)
    app.do("record_turn", content="b", session_id="s")

    kept = session(app, "s")
    assert (kept.turns, kept.first_at, kept.last_at) == (2, began - 5000, app.now)
    assert kept.due_at == began + DUE_MS


def test_the_event_tells_of_the_turn_under_the_key_of_its_session(app: ProjectApp):
    app.do("record_turn", content="é" * 300, session_id="s", metadata={"kind": "error"}, tags=["t"], role="user")
    app.do("record_turn", content="alone")

    first, second = app.events("turn_recorded")
    assert (first.key, first.actor) == ("session/s", "ann")
    assert first.payload["content_preview"] == "é" * 199 + "…"
    assert {name: first.payload[name] for name in ("role", "session_id", "metadata", "tags", "at")} == {
        "role": "user",
        "session_id": "s",
        "metadata": {"kind": "error"},
        "tags": ["t"],
        "at": app.now,
    }
    assert second.key == second.payload["turn_id"]
    assert "session_id" not in second.payload


def test_metadata_over_4_kb_is_left_out_of_the_event_but_what_was_violated(app: ProjectApp):
    app.do("record_turn", content="x", metadata={"much": "y" * 4096}, requires_claim="story:1")

    (event,) = app.events("turn_recorded")
    assert event.payload["metadata"] == {"claim_violation": {"key": "story:1", "reason": "not_held"}}


@pytest.mark.parametrize("character", ["\x01", "😀", "é"])
def test_whatever_is_said_at_length_fits_its_event(app: ProjectApp, character: str):
    app.do(
        "record_turn",
        content=character * 9000,
        session_id=character * 200,
        client_turn_id=character * 256,
        tool=character * 128,
        speaker=character * 128,
        tags=[f"{number:02}" + character * 62 for number in range(20)],
        metadata={"m": character * 650},
    )

    (event,) = app.events("turn_recorded")
    assert event.payload["metadata"] == {"m": character * 650}
    assert bool(event.payload["tags"]) == (character == "é")
    assert app.do("list_recent_turns", session_id=character * 200)["turns"][0]["position"] == 0


def test_the_largest_turn_is_taken_and_one_byte_more_is_not(app: ProjectApp):
    tags = [f"{number:02}" + "é" * 62 for number in range(20)]
    metadata: dict[str, Any] = {"m": "x" * (16 * 1024 - 8)}
    app.do("record_turn", content="é" * 32768, metadata=metadata, tags=tags, session_id="ß" * 200, speaker="ß" * 128)

    assert "65538 bytes in UTF-8, over 65536" in app.refusal("record_turn", content="é" * 32769)
    assert '"metadata" has 16385 bytes' in app.refusal("record_turn", content="x", metadata={"m": "x" * 16377})
    assert "20" in app.refusal("record_turn", content="x", tags=[str(number) for number in range(21)])
    assert "64" in app.refusal("record_turn", content="x", tags=["x" * 65])


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"content": ""}, "content"),
        ({"content": " \n\t"}, "content is empty"),
        ({"content": f"a{HALF}b"}, "incomplete surrogate"),
        ({"content": "x", "session_id": f"a{HALF}"}, "incomplete surrogate"),
        ({"content": "x", "session_id": ""}, "session_id"),
        ({"content": "x", "role": "robot"}, "role"),
        ({"content": "x", "metadata": {"a": 2**70}}, "64 bits"),
        ({"content": "x", "occurred_at": 253_402_000_000_001}, "occurred_at"),
        ({"content": "x", "occurred_at": -1}, "occurred_at"),
        ({"content": "x", "occurred_at": "whenever"}, "occurred_at"),
        ({"content": "x", "occurred_at": 1_900_000_000_000}, "over a year ahead"),
        ({"content": "x", "holder": "h"}, "holder needs requires_claim"),
        ({"content": "x", "claim_token": 7}, "claim_token needs requires_claim"),
        ({"content": "x", "requires_claim": "file:"}, "not a path"),
    ],
)
def test_what_cannot_be_recorded_is_refused_with_the_reason(app: ProjectApp, bad: dict[str, Any], why: str):
    assert why in app.refusal("record_turn", **bad)
    assert app.events("turn_recorded") == []


def test_instants_are_taken_as_text_too(app: ProjectApp):
    told = app.do("record_turn", content="x", occurred_at="2026-02-03T10:00:00Z")

    assert turn(app, told["turn_id"]).at == 1_770_112_800_000


def test_seconds_in_place_of_milliseconds_are_told(app: ProjectApp):
    told = app.do("record_turn", content="x", occurred_at=1_770_112_800)

    assert told["notes"] == ["occurred_at is in milliseconds and was read as 1970-01-21T11:41:52Z."]
    assert "notes" not in app.do("record_turn", content="x", occurred_at=1_770_112_800_000)


def test_of_many_writers_in_one_session_each_turn_has_its_own_place(app: ProjectApp):
    def write(writer: int) -> list[str]:
        return [app.do("record_turn", content=f"{writer}/{number}", session_id="s")["turn_id"] for number in range(10)]

    with ThreadPoolExecutor(8) as writers:
        written = [turn_id for each in writers.map(write, range(8)) for turn_id in each]

    kept = turns_of(app, "s")
    assert [each.position for each in kept] == list(range(80))
    assert sorted(each.id for each in kept) == sorted(written)
    assert session(app, "s").turns == 80
    assert len(app.events("turn_recorded")) == 80


@pytest.mark.parametrize("same", [{"content": "x", "session_id": "s"}, {"content": "x", "client_turn_id": "c"}])
def test_of_the_same_turn_recorded_at_once_one_wins(app: ProjectApp, same: dict[str, Any]):
    def write(_: int) -> dict[str, Any]:
        return app.do("record_turn", **same)

    with ThreadPoolExecutor(8) as writers:
        told = list(writers.map(write, range(16)))

    assert len({each["turn_id"] for each in told}) == 1
    assert sorted(each["deduped"] for each in told) == [False] + [True] * 15
    assert len(app.events("turn_recorded")) == 1
    assert len(turns(app)) == 1


def test_of_different_turns_under_one_id_of_the_caller_one_wins(app: ProjectApp):
    def write(number: int) -> dict[str, Any]:
        return app.do("record_turn", content=f"x{number}", client_turn_id="c")

    with ThreadPoolExecutor(8) as writers:
        told = list(writers.map(write, range(8)))

    assert sorted(each["deduped"] for each in told) == [False] + [True] * 7
    assert {each["turn_id"] for each in told} == {each.id for each in turns(app)}
    assert len(turns(app)) == 1
