"""Test that a claim reports decisions about its path, among much other data, in any words and of any family."""

import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.kernel.caller import Caller
from tests.app import Json
from tests.project_app import ProjectApp

HOLDER = "cli@ann#1"
NOISE = 130
"""Memories that were written after what is planted: more than the latest that are read without an index."""


class PlantedDecision(NamedTuple):
    """A decision in memory, and the keys of claims that must report it."""

    id: str
    keys: tuple[str, ...]


def store_decision(app: ProjectApp, text: str) -> str:
    return app.do("context_store", content=text, type="decision")["id"]


def pin(app: ProjectApp, text: str) -> str:
    return app.do("pin_memory", content=text)["memory"]["id"]


def extract(app: ProjectApp, text: str) -> str:
    return app.do("extract_semantic", content=text)["memory"]["id"]


def record_fact(app: ProjectApp, text: str) -> str:
    return app.do("record_fact", subject=text, predicate="owned_by", object="Team Blue")["fact"]["fact_id"]


def write_note(app: ProjectApp, text: str) -> str:
    return app.do("notes_create", title="Minutes", body=f"{'We talked about the weather. ' * 300}\n{text}")["id"]


def title_note(app: ProjectApp, text: str) -> str:
    return app.do("notes_create", title=text[:200], body="See the minutes.")["id"]


def book_event(app: ProjectApp, text: str) -> str:
    return app.do("calendar_create_event", title=text[:200], date="2026-02-20", time="10:00")["id"]


def send_mail(app: ProjectApp, text: str) -> str:
    return app.do("send_message", to=["ann"], subject="About the code", body=text)["message"]["id"]


def request_review(app: ProjectApp, text: str) -> str:
    return app.do("request_review", subject=text[:200])["review"]["id"]


SOURCES = (store_decision, pin, extract, record_fact, write_note, title_note, book_event, send_mail, request_review)
TUNED = (
    "We decided that {path} keeps sessions in cookies.",
    "Decision: do not touch {path} before the release",
    "`{path}` stays free of network calls, we agreed.",
    "In {name} errors are raised, never returned.",
    "see {path}:42 for why",
)
HELD_OUT = (
    "From now on ({path}) is generated; edit the template.",
    'Never log tokens in "{path}"!',
    "{path}, {path} and the tests move together",
    "/home/ann/web/{path} was the reason for the outage",
    "the rule for {name}: one function a screen",
    "cf. [{name}](../{path}#L10-L20)",
    "Windows paths count too: {windows}",
    "file:{path} has an owner, ask Ben",
)


def path_of(number: int, chance: random.Random) -> str:
    folders = ("src/billing", "lib/core/net", "web/app/[slug]", "services/api-gateway/v2", "infra", "Ünits/été")
    names = ("token_store.py", "Invoice.tsx", "retry-policy.go", "main.rs", "schema.v2.sql")
    return f"{chance.choice(folders)}/part{number}/{number}{chance.choice(names)}"


def plant(app: ProjectApp, phrases: tuple[str, ...]) -> list[PlantedDecision]:
    """Plant each phrase in each source, each about a path of its own."""
    chance = random.Random(len(phrases))
    found: list[PlantedDecision] = []
    for number, (source, phrase) in enumerate(product(SOURCES, phrases)):
        path = path_of(number, chance)
        folder, _, name = path.rpartition("/")
        text = phrase.format(path=path, name=name, windows=path.replace("/", "\\"))
        wide = () if "{path}" not in phrase or "[" in path else (f"file:{folder}/", f"{folder}/*.{name.split('.')[-1]}")
        found.append(
            PlantedDecision(source(app, path if source is record_fact else text), (path, f"file:./{path}", *wide))
        )
    return found


def claim_decisions(app: ProjectApp, key: str, caller: Caller | None = None) -> list[Json]:
    claim = app.do("claim", key=key, holder=HOLDER, ttl_ms=60_000, caller=caller)
    app.do("release", key=key, holder=HOLDER, caller=caller)
    about = claim.get("about", [])
    assert len(msgspec.json.encode(about).decode()) <= 1500
    return about


def noise(app: ProjectApp, text: str = "The office has chairs, says src/chairs.py", count: int = NOISE) -> None:
    """`{}` of the text is another number each time."""
    rows = MEMORIES.within(app.store, app.caller.scope)
    later = app.now + 1
    memories = [
        Memory(
            id=f"noise{number}", content=text.format(number), at=later, recorded_at=later, actor="cid", kind="pinned"
        )
        for number in range(count)
    ]
    for start in range(0, count, 65):
        app.store.write([rows.insert(one) for one in memories[start : start + 65]])


@pytest.mark.parametrize("phrases", [TUNED, HELD_OUT], ids=["tuned", "held_out"])
def test_a_claim_tells_what_was_planted_about_its_path(tmp_path: Path, phrases: tuple[str, ...]) -> None:
    app = ProjectApp(tmp_path)
    planted = plant(app, phrases)
    noise(app)
    app.follow()
    app.index.is_whole = True
    asked = [(one.id, one.keys[number % len(one.keys)]) for number, one in enumerate(planted)]
    assert [(planted_id, key) for planted_id, key in asked if planted_id not in str(claim_decisions(app, key))] == []


def test_a_key_for_some_families_is_told_of_their_data_alone(tmp_path: Path) -> None:
    app = ProjectApp(tmp_path)
    for source in SOURCES:
        source(app, "src/auth.py")
    noise(app)
    app.follow()
    app.index.is_whole = True
    kinds = {
        families: {one["kind"] for one in claim_decisions(app, "src/auth.py", replace(app.caller, families=families))}
        for families in (None, *(frozenset({"team", one}) for one in ("memory", "knowledge", "planner", "calendar")))
    }
    team = {"review", "message"}
    assert kinds == {
        None: {"decision", "memory", "fact", "note", "booking", *team},
        frozenset({"team", "memory"}): {"decision", "memory", *team},
        frozenset({"team", "knowledge"}): {"fact", *team},
        frozenset({"team", "planner"}): {"note", "booking", *team},
        frozenset({"team", "calendar"}): {"booking", *team},
    }
    app.wait(days=4)
    assert "booking" not in {one["kind"] for one in claim_decisions(app, "src/auth.py")}


def test_what_was_just_written_is_told_where_no_index_answers(tmp_path: Path) -> None:
    app = ProjectApp(tmp_path)
    ids = {source(app, "src/auth.py") for source in SOURCES}
    assert {one["id"] for one in claim_decisions(app, "src/auth.py")} == ids


def test_what_is_said_of_one_of_many_files_with_the_same_name_is_told(tmp_path: Path) -> None:
    app = ProjectApp(tmp_path)
    planted = store_decision(app, "We decided that web/app/checkout/index.ts stays free of network calls.")
    noise(app, "In web/app/page{}/index.ts errors are raised, and index.ts exports all of it.", 200)
    app.rebuild_index()
    assert [one["id"] for one in claim_decisions(app, "web/app/checkout/index.ts") if one["kind"] == "decision"] == [
        planted
    ]


def test_more_memories_are_read_while_the_index_is_not_complete(tmp_path: Path) -> None:
    app = ProjectApp(tmp_path)
    planted = store_decision(app, "We decided that src/auth.py keeps sessions in cookies.")
    noise(app, count=60)
    app.index.is_whole = False
    assert planted in str(claim_decisions(app, "src/auth.py"))
