"""What others wrote is marked wherever a tool or a resource shows it: as data, never instructions.

Every kind of data is written by one actor. Another calls every tool with arguments made from the schemas. Where an
answer shows a text of the first, the object that holds it, or one around that, says `untrusted`. The only other place
is an error, whose `_meta` says so.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest

from almanac.composition.families import FAMILIES
from almanac.protocol.tool import Effect
from tests.contract.tenancy.arguments import ArgumentMaker
from tests.contract.tenancy.planted import WIDE, WORDS, Json, Project, word
from tests.contract.tenancy.values import shown

TRIES = 30
FLAG = "untrusted"
ERROR = "almanac/error"
SKILL_FLAG = "io.modelcontextprotocol.skills/untrusted"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("marks"))


def unmarked(value: Any) -> Iterator[str]:
    """The texts with a planted word that stand in no object with the flag."""
    match value:
        case str():
            if shown(value, WORDS):
                yield value
        case dict():
            held = cast(Json, value)
            if held.get(FLAG) is not True and held.get("_meta", {}).get(SKILL_FLAG) is not True:
                for name, child in held.items():
                    yield from unmarked(name)
                    yield from unmarked(child)
        case list():
            for child in cast(list[Any], value):
                yield from unmarked(child)
        case _:
            return


def unmarked_in(body: Json) -> list[str]:
    """Of the answer to a call. Its content repeats the structured one as text."""
    result = cast(Json, body.get("result", {}))
    if result.get("isError"):
        said = result["content"][0]["text"]
        marked = result.get("_meta", {}).get(ERROR, {}).get(FLAG) is True
        return [] if marked or not shown(said, WORDS) else [said]
    return list(unmarked(result.get("structuredContent", {})))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_tool_shows_of_others_is_marked(project: Project, family: str):
    reader, random = project.key(*FAMILIES), Random(family)
    maker = ArgumentMaker(random, project.words)
    tools = [tool for one in project.world.families if one.name == family for tool in one.tools]
    for tool in sorted(tools, key=lambda one: one.effect is Effect.REMOVES):
        made = (project.crossed(maker.arguments(tool.input_schema), random) for _ in range(TRIES))
        for arguments in ({}, *WIDE.get(tool.name, []), *made):
            asked = shown(arguments, WORDS)
            answer = project.world.call(reader, tool.name, arguments)
            found = [one for one in unmarked_in(answer.body) if shown(one, WORDS.keys() - asked)]
            assert found == [], (tool.name, arguments)


def test_what_a_refusal_shows_of_others_is_marked(project: Project):
    hour = {"start": "2026-11-21T15:00:00+01:00", "end": "2026-11-21T16:00:00+01:00"}
    answer = project.world.call(
        project.key("calendar"), "book_slot", {"calendar_id": "primary", "summary": "A", **hour}
    )

    assert word("events") in str(answer.body)
    assert unmarked_in(answer.body) == []


def test_what_resources_show_of_others_is_marked(project: Project):
    reader = project.key(*FAMILIES)
    listed = project.world.ask(reader, "resources/list", {}).body["result"]["resources"]
    read = [project.world.ask(reader, "resources/read", {"uri": one["uri"]}).body["result"] for one in listed]

    assert shown(listed, WORDS) == {word("skills")}
    assert list(unmarked(listed)) == []
    assert list(unmarked(read)) == []
