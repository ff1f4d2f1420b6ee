"""Test that every tool and resource marks text of other people as data.

One actor writes every kind of data. Another calls every tool with arguments made from the schemas. If an answer shows a
text of the first, the object that holds it, or an object around it, says `untrusted`. In an error, `_meta` says so.
"""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest

from almanac.composition.families import FAMILIES
from almanac.kernel.owners import Data
from almanac.protocol.tool import Effect
from tests.contract.tenancy.arguments import ArgumentMaker
from tests.contract.tenancy.planted import HOLDER, WIDE, WORDS, Json, Project, word
from tests.contract.tenancy.values import texts_in, texts_shown

TRIES = 30
FLAG = "untrusted"
ERROR = "almanac/error"
SKILL_FLAG = "io.modelcontextprotocol.skills/untrusted"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("marks"))


@pytest.fixture(scope="module")
def untouched_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Another one, from which no tool has removed anything."""
    return Project(tmp_path_factory.mktemp("writes"))


def unmarked_texts(value: Any) -> Iterator[str]:
    """Yield texts with a planted word that are in no object with the flag."""
    match value:
        case str():
            if texts_shown(value, WORDS):
                yield value
        case dict():
            held = cast(Json, value)
            if held.get(FLAG) is not True and held.get("_meta", {}).get(SKILL_FLAG) is not True:
                for name, child in held.items():
                    yield from unmarked_texts(name)
                    yield from unmarked_texts(child)
        case list():
            for child in cast(list[Any], value):
                yield from unmarked_texts(child)
        case _:
            return


def unmarked_texts_in_answer(body: Json) -> list[str]:
    """Return the unmarked texts of an answer. Its content repeats the structured result as text."""
    result = cast(Json, body.get("result", {}))
    if result.get("isError"):
        said = result["content"][0]["text"]
        marked = result.get("_meta", {}).get(ERROR, {}).get(FLAG) is True
        return [] if marked or not texts_shown(said, WORDS) else [said]
    return list(unmarked_texts(result.get("structuredContent", {})))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_tool_shows_of_others_is_marked(project: Project, family: str):
    reader, random = project.key(*FAMILIES), Random(family)
    maker = ArgumentMaker(random, project.words)
    tools = [tool for one in project.world.families if one.name == family for tool in one.tools]
    for tool in sorted(tools, key=lambda one: one.effect is Effect.REMOVES):
        tries = TRIES if tool.effect is Effect.READS else 2 * TRIES
        made = (project.cross_ids(maker.arguments(tool.input_schema), random) for _ in range(tries))
        for arguments in ({}, *WIDE.get(tool.name, []), *made):
            asked = str(arguments)
            answer = project.world.call(reader, tool.name, arguments)
            found = [one for one in unmarked_texts_in_answer(answer.body) if one not in asked]
            assert found == [], (tool.name, arguments)


ID = re.compile(r"[a-z]+_[0-9a-z]{20,}|[0-9a-z]{26}")
HOUR = {"start": "2026-11-21T15:00:00+01:00", "end": "2026-11-21T16:00:00+01:00"}


def title(data: Data) -> str:
    return f"{word(data)} is theirs"


@pytest.mark.parametrize(
    ("tool", "arguments", "data"),
    [
        ("book_slot", {"calendar_id": "primary", "summary": "A", **HOUR}, "events"),
        ("create_calendar", {"name": title("events").upper()}, "events"),
        ("notes_delete", {"noteId": "above", "children": "refuse"}, "notes"),
        ("notes_update", {"noteId": "above", "parentId": "below"}, "notes"),
        ("notes_delete", {"noteId": "above", "children": "cascade"}, None),
        ("journal_delete", {"entryId": "entry"}, "journal"),
        ("kanban_delete_card", {"cardId": "task"}, "cards"),
        ("calendar_delete_event", {"eventId": "meeting"}, "events"),
        ("get_code_context", {"target": "the quarterly plan of deploys"}, "code"),
        ("record_turn", {"content": "A", "requires_claim": "src/plan.py"}, "holder"),
        ("record_turn", {"content": "B", "requires_claim": "src/plan.py", "claim_policy": "hard"}, "holder"),
        (
            "record_turns",
            {"turns": [{"content": "C", "requires_claim": "src/plan.py", "claim_policy": "hard"}]},
            "holder",
        ),
        ("traverse_code", {"repo_id": "acme/web", "path": "other/deploys.py", "direction": "out"}, None),
        ("kanban_create_card", {"columnId": "column", "title": "mine"}, "cards"),
    ],
)
def test_what_a_write_or_a_refusal_shows_of_others_is_marked(
    untouched_project: Project, tool: str, arguments: Json, data: str | None
):
    """Where arguments made at random seldom lead."""
    column = untouched_project.known["board"]["data"]["board"]["columns"][0]["id"]
    planted = {
        "above": ("notes_create", {"title": title("notes"), "body": "A"}),
        "below": ("notes_create", {"title": title("notes"), "body": "B", "parentId": "above"}),
        "entry": ("journal_create", {"title": title("journal"), "body": "A", "date": "2026-11-20"}),
        "task": ("kanban_create_card", {"title": title("cards"), "columnId": column}),
        "meeting": ("calendar_create_event", {"title": title("events"), "date": "2026-12-01", "time": "10:00"}),
        "named": ("create_calendar", {"name": title("events"), "calendar_id": "named"}),
    }
    ids = {"column": column}
    for name, (writing, given) in planted.items():
        sent = {key: ids.get(value, value) for key, value in given.items()}
        written = untouched_project.world.call(untouched_project.full, writing, sent)
        assert written.has_succeeded or writing == "create_calendar", written.body
        ids[name] = next((text for text in texts_in(written.result) if ID.fullmatch(text)), name)
    meant = {key: ids.get(str(value), value) for key, value in arguments.items()}
    answer = untouched_project.world.call(untouched_project.key(*FAMILIES), tool, meant)

    assert data is None or f"zq{data}zq" in str(answer.body).lower(), answer.body
    assert unmarked_texts_in_answer(answer.body) == [], answer.body


@pytest.mark.parametrize("tool", ["claim", "extend", "release", "heartbeat", "list_claims"])
def test_a_notice_that_a_claim_was_taken_is_marked(project: Project, tool: str):
    reader, claim = project.key("team"), {"key": f"lib/{tool}.py", "holder": f"reader {tool}", "ttl_ms": 60_000}
    project.world.call(reader, "claim", claim)
    taking = claim | {"holder": HOLDER, "force": True, "reason": f"{word('teamwork')} needs it."}
    project.world.call(project.full, "claim", taking)
    needed = {"claim": claim, "extend": claim, "release": {"key": claim["key"], "holder": claim["holder"]}}
    answer = project.world.call(reader, tool, needed.get(tool, {"holder": claim["holder"]}))

    assert {HOLDER, word("teamwork")} <= texts_shown(answer.body, WORDS)
    assert unmarked_texts_in_answer(answer.body) == []


def test_what_resources_show_of_others_is_marked(project: Project):
    reader = project.key(*FAMILIES)
    listed = project.world.ask(reader, "resources/list", {}).body["result"]["resources"]
    read = [project.world.ask(reader, "resources/read", {"uri": one["uri"]}).body["result"] for one in listed]

    assert texts_shown(listed, WORDS) == {word("skills")}
    assert list(unmarked_texts(listed)) == []
    assert list(unmarked_texts(read)) == []
