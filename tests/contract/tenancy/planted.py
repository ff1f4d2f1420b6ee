"""A project in which every kind of data is written, each with a word of its own that no answer has by chance."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, get_args

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.kernel.owners import Data
from tests.contract.tenancy.arguments import Stock
from tests.contract.tenancy.consequences import follow_all
from tests.contract.tenancy.values import texts_in, texts_shown
from tests.contract.tenancy.world import Tenant, World

Json = dict[str, Any]
DATA: tuple[Data, ...] = get_args(Data)
PROJECT = "web"
CROSSED = 0.3
"""The share of texts in whose place an id of anything is sent."""


def word(data: Data) -> str:
    return f"zq{data}zq"


HOLDER = "zqholderzq"
"""Beside the word of teamwork, so that a caller who names a claim by its key is not told its holder."""
WORDS: Mapping[str, Data] = {HOLDER: "teamwork", **{word(data): data for data in DATA}}


WIDE: dict[str, list[Json]] = {
    "search_memory": [
        {"query": "quarterly plan of deploys", "include": ["notes", "journal", "events", "cards", "facts", "messages"]},
        {"query": "quarterly plan of deploys", "include": ["code", "skills"]},
        {"query": "quarterly plan of deploys", "mode": "code"},
        {"query": "quarterly plan of deploys", "mode": "skills"},
    ],
    "get_snapshot": [{"since": 0}, {}],
    "list_edges": [{"subject": "zq", "hops": 3}],
    "claim": [
        {"key": "src/plan.py", "holder": "reader", "ttl_ms": 5000},
        {"key": "src/**", "holder": "reader", "ttl_ms": 5000, "wait": True},
        {"key": "docs/**", "holder": "reader", "ttl_ms": 5000, "force": True, "reason": "urgent"},
    ],
    "release": [{"key": "src/plan.py", "holder": "reader"}],
    "extend": [{"key": "src/plan.py", "holder": "reader", "ttl_ms": 5000}],
    "configure_project": [{"root": "/home/ann"}],
}
"""What asks for the data of most families, or comes upon it, beside what is made from the schemas."""


class Project:
    """One project in which every kind of data is written. `ids` are the texts of its answers, `words` as arguments."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder / "almanac.db", lambda s, c: every_family(services_for(s, c)), follow_all)
        self.full = self.world.settle("acme", PROJECT)
        self.words = Stock(["the quarterly plan of deploys", "src/deploys.py", "Deploys"])
        self.ids: list[str] = []
        self.known: dict[str, Any] = {}
        for name, tool, arguments in _planted_calls():
            self._write(name, tool, arguments)
        column = self.known["board"]["data"]["board"]["columns"][0]["id"]
        self._write("card", "kanban_create_card", {"columnId": column, "title": f"{word('cards')} plan of deploys"})
        self._connect()
        self.world.follow()

    def key(self, *families: str) -> Tenant:
        grant = Grant(
            tenant="acme", project=PROJECT, actor="narrow", families=families, default_timezone="Europe/Berlin"
        )
        issued = ApiKeys(self.world.store, self.world.clock, os.urandom).issue(grant)
        return Tenant("acme", PROJECT, issued.key.text, "narrow")

    def _write(self, name: str, tool: str, arguments: Json) -> None:
        answer = self.world.call(self.full, tool, arguments)
        assert answer.has_succeeded, (tool, answer.body)
        self.known[name] = answer.result
        self._learn(answer.result)

    def _learn(self, result: Any) -> None:
        """Learn from an answer, but not the planted words, because an error may repeat its arguments."""
        said = [one for one in texts_in(result) if not texts_shown(one, WORDS)]
        self.ids += [one for one in said if any(letter.isdigit() for letter in one)]
        self.words.learn(said)

    def cross_ids(self, arguments: Json, random: Random) -> Json:
        """Return arguments with ids of other things, such as a memory's id in place of a note's."""
        return {
            name: random.choice(self.ids) if isinstance(value, str) and random.random() < CROSSED else value
            for name, value in arguments.items()
        }

    def _connect(self) -> None:
        """Edges between data of different families, which a key for one of them must not follow."""
        memory, note = self.known["memory"]["memory"]["id"], self.known["note"]["data"]["id"]
        fact = self.known["fact"]["fact"]["fact_id"]
        for src, dst in ((fact, note), (fact, memory)):
            edge = {"src_id": src, "dst_id": dst, "kind": "derives_from"}
            self._write(f"edge {src} {dst}", "create_edge", edge)


def _planted_calls() -> Iterator[tuple[str, str, Json]]:
    def text(data: Data) -> str:
        return f"{word(data)} says the quarterly plan of deploys."

    metadata = {"kind": "error", "tag": "needs_review"}
    today = "2026-11-21"
    yield "turn", "record_turn", {"content": text("turns"), "session_id": "s1", "metadata": metadata}
    yield "memory", "pin_memory", {"content": text("memories")}
    yield "fact", "record_fact", {"subject": word("facts"), "predicate": "says", "object": text("facts")}
    hour = {"start": f"{today}T15:00:00+01:00", "end": f"{today}T16:00:00+01:00"}
    yield "calendar", "create_calendar", {"name": text("events"), "calendar_id": "plans"}
    yield "booking", "book_slot", {"calendar_id": "primary", "summary": text("events"), **hour}
    yield "note", "notes_create", {"title": text("notes"), "body": text("notes")}
    yield "journal", "journal_create", {"title": text("journal"), "body": text("journal"), "date": today}
    board = {"title": text("cards"), "columns": [f"{word('cards')} to do", "Done"]}
    yield "board", "kanban_edit_board", {"action": "create_board", **board}
    named = {"path": f"src/{word('code')}.md", "content": text("code")}
    files = [named, {"path": "src/deploys.py", "content": f'def zqcodezq():\n    """{text("code")}"""\n    return 1\n'}]
    yield "code", "index_files", {"repo_id": "acme/web", "files": files}
    head = f"---\nname: quarterly-plan\ndescription: {text('skills')}\n---\n{text('skills')}\n"
    yield "skill", "install_skill", {"skill_md": head}
    for key in (f"story:{word('teamwork')}", "src/plan.py", "docs/plan.md", f"/home/ann/{word('teamwork')}.py"):
        yield f"claim {key}", "claim", {"key": key, "holder": HOLDER, "ttl_ms": 86_400_000}
    letter = {"to": ["narrow", "everybody"], "subject": text("messages"), "body": text("messages")}
    yield "message", "send_message", letter
    yield "broadcast", "set_broadcast", {"key": "plan", "value": text("teamwork")}
    rule = {"name": "plan", "on_kind": "claim_taken", "description": text("teamwork")}
    told = {"tool": "set_broadcast", "args": {"key": "taken", "value": text("teamwork")}}
    yield "rule", "install_rule", {**rule, "actions": [told]}
    yield "review", "request_review", {"subject": text("teamwork")}
    yield "heartbeat", "heartbeat", {"current_file": "src/deploys.py", "current_action": word("teamwork")}
