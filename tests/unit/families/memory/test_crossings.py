"""What one part of memory sees of what another one did."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.families.memory.memories.records import PURGES
from almanac.families.memory.redactions.redactable import REDACTABLE
from almanac.kernel.instants import milliseconds
from almanac.platform.redactions.scan import scan
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import MemoryBuilder

SECRET = "AKIAZ7Q3MNPLX4RW2TUV"
CITIES = ["Lisbon", "Oslo", "Cairo", "Lima", "Quito", "Dakar", "Hanoi", "Delhi", "Kyoto", "Tunis", "Sofia", "Minsk"]

ODD = [
    "?",
    "...",
    "1",
    "b",
    "- ?",
    "# ?",
    ":)",
    "\u200b?",
    "> who says so?",
    "```\nx = 1\n```",
    "| a | b? |\n|---|---|",
]
SAID = [
    "Which one, (1) cups or (2) bowls?",
    "the second",
    "no, bowls",
    "We use clay from Lisbon.",
    "todo: the kiln",
    "Done.",
]


def summarise_session(app: ProjectApp, session: str = "s", turns: int = 20) -> str:
    """The id of the summary of a session of so many turns, each of which says something new."""
    said = [
        f"The parcel number {number} was sent from {CITIES[number % len(CITIES)]} by train." for number in range(turns)
    ]
    app.do("record_turns", turns=[{"role": "user", "content": each} for each in said], session_id=session)
    return app.do("summarize_session", session_id=session, force=True)["memory_id"]


def ids(edges: list[dict[str, str]]) -> list[str]:
    return [edge["id"] for edge in edges]


def test_what_a_turn_and_a_pin_lost_is_listed(app: ProjectApp) -> None:
    turn = app.do("record_turn", content=f"key {SECRET}", session_id="s")["turn_id"]
    pinned = app.do("pin_memory", content=f"The key is {SECRET}.")["memory"]["id"]

    rows = {row["item_id"]: row for row in app.do("list_redactions")["redactions"]}

    assert {name: row["where"] for name, row in rows.items()} == {turn: "turn", pinned: "memory"}
    assert rows[turn]["session_id"] == "s"


def test_a_turn_says_which_summary_was_made_of_it_and_a_summary_which_reflection(app: ProjectApp) -> None:
    first, second = summarise_session(app, "one"), summarise_session(app, "two")
    app.react()
    quoted = ids(app.do("get_memory", memory_id=first)["edges"]["derived_from"])[0]
    assert ids(app.do("get_memory", memory_id=quoted)["edges"]["derives"]) == [first]

    app.wait(days=2)
    app.run_jobs()
    (reflection,) = ids(app.do("get_memory", memory_id=second)["edges"]["derives"])
    assert app.do("get_memory", memory_id=reflection)["memory"]["kind"] == "reflection"


def test_a_summary_of_which_nothing_is_left_ends_with_all_that_leads_to_it(app: ProjectApp) -> None:
    summary = summarise_session(app, turns=2)
    turns = [turn["id"] for turn in app.do("list_recent_turns", session_id="s")["turns"]]
    for turn in turns:
        app.do("forget_memory", memory_id=turn)
    app.react()
    purges = PURGES.within(app.store, app.caller.scope)
    assert {purge.id for purge in purges.every()} == {summary, *turns}

    for turn in turns:
        app.do("forget_memory", memory_id=turn, restore=True)
    app.react()
    assert list(purges.every()) == []
    assert app.do("get_memory", memory_id=summary)["memory"]["kind"] == "consolidated"


def test_no_summary_quotes_more_than_one_write_can_check(app: ProjectApp) -> None:
    names = [
        first + second for first in ("Bo", "Da", "Fe", "Gu") for second in ("lin", "mar", "nor", "pek", "rit", "sov")
    ]
    said = [{"role": "user", "content": f"We decided that {name} gets {name.lower()}ium."} for name in names]
    app.do("record_turns", turns=said, session_id="s")
    summary = app.do("summarize_session", session_id="s", force=True)["memory_id"]
    assert len(app.do("get_memory", memory_id=summary)["edges"]["derived_from"]) == 20


def test_a_scan_has_entities_of_a_turn_counted_anew(app: ProjectApp) -> None:
    turn = MemoryBuilder(app).turn(f"https://example.org/?key={SECRET}", "s")
    scan(app.services, app.caller, REDACTABLE, rewrite=True)
    assert [event.payload["turn_id"] for event in app.events("turn_rewritten")] == [turn]


def test_a_search_says_how_far_it_reaches(app: ProjectApp) -> None:
    app.do("record_turn", content="The ferry to the island leaves at noon.")
    assert app.do("search_memory", query="When does the ferry leave?")["coverage"]["verdict"] == "covered"
    assert app.do("search_memory", query="Who repairs violins?")["coverage"]["verdict"] == "not_covered"


def test_a_snapshot_of_yesterday_ends_where_the_day_ends_in_the_zone_that_was_asked_for(app: ProjectApp) -> None:
    here = app.do("get_snapshot", as_of="yesterday")["as_of"]
    there = app.do("get_snapshot", as_of="yesterday", timezone="Pacific/Kiritimati")["as_of"]
    assert here == milliseconds(datetime(2026, 2, 18, 5, tzinfo=UTC))
    assert there == milliseconds(datetime(2026, 2, 18, 10, tzinfo=UTC))


@settings(deadline=None, max_examples=40)
@given(
    turns=st.lists(
        st.tuples(st.sampled_from(ODD + SAID), st.sampled_from(["user", "assistant", "tool"]), st.sampled_from("ab")),
        min_size=2,
        max_size=12,
    ),
    question=st.sampled_from(["?", "Which one do we use?", "What did we decide?", "What is open?", "b"]),
)
def test_no_tool_fails_at_turns_without_words(turns: list[tuple[str, str, str]], question: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = ProjectApp(Path(folder))
        for content, role, speaker in turns:
            app.do("record_turn", content=content, role=role, speaker=speaker, session_id="s")
        app.react()
        app.do("summarize_session", session_id="s", force=True)
        app.follow()
        for tool, arguments in (
            ("synthesize", {"question": question}),
            ("search_memory", {"query": question}),
            ("get_snapshot", {}),
            ("context_orient", {}),
            ("list_candidates", {}),
        ):
            app.do(tool, **arguments)
