"""A key reads, changes and causes only what one of its families owns.

Everything that a project can hold is written with a word of its own for each kind of data. Then a key for each family
alone calls every tool that it has, with arguments made from the schemas and with the ids of everything, reads every
resource and listens to the feed. No answer may hold a word of data that the family does not own.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from almanac.composition.families import FAMILIES, declaration, every_family, rule_sources
from almanac.composition.services import services_for
from almanac.families.team.core.rule_sources import installation
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Forbidden
from almanac.kernel.owners import ACTIONS, EVENTS, OWNERS, Data, kinds_heard, may_see
from almanac.platform.feed.frames import Subscribe, subscription
from almanac.platform.feed.log import Log
from almanac.protocol.tool import Effect
from tests.contract.tenancy.arguments import ArgumentMaker, Stock
from tests.contract.tenancy.following import all_follows
from tests.contract.tenancy.values import shown, texts_in
from tests.contract.tenancy.world import Tenant, World

Json = dict[str, Any]
DATA: tuple[Data, ...] = get_args(Data)
PROJECT = "web"
TRIES = 30
CROSSED = 0.3
"""The share of texts in whose place an id of anything is sent."""


def word(data: Data) -> str:
    """No answer has it by chance."""
    return f"zq{data}zq"


WORDS: Mapping[str, Data] = {word(data): data for data in DATA}


def foreign(family: str) -> list[str]:
    return [each for each, data in WORDS.items() if family not in OWNERS[data]]


class Project:
    """One project in which every kind of data is written. `ids` are the texts of its answers, `words` as arguments."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder / "almanac.db", lambda s, c: every_family(services_for(s, c)), all_follows)
        self.full = self.world.settle("acme", PROJECT)
        self.words = Stock(["the quarterly plan of deploys", "src/deploys.py", "Deploys"])
        self.ids: list[str] = []
        self.known: dict[str, Any] = {}
        for name, tool, arguments in _planted():
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
        return Tenant("acme", PROJECT, issued.key.text)

    def _write(self, name: str, tool: str, arguments: Json) -> None:
        answer = self.world.call(self.full, tool, arguments)
        assert answer.succeeded, (tool, answer.body)
        self.known[name] = answer.result
        self._learn(answer.result)

    def _learn(self, result: Any) -> None:
        """Without the words themselves: an error may repeat what it was sent."""
        said = [one for one in texts_in(result) if not shown(one, WORDS)]
        self.ids += [one for one in said if any(letter.isdigit() for letter in one)]
        self.words.learn(said)

    def crossed(self, arguments: Json, random: Random) -> Json:
        """With ids of anything in place of some texts: of a memory where a note is asked for."""
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


def _planted() -> Iterator[tuple[str, str, Json]]:
    def text(data: Data) -> str:
        return f"{word(data)} says the quarterly plan of deploys."

    metadata = {"kind": "error", "tag": "needs_review"}
    today = "2026-11-21"
    yield "turn", "record_turn", {"content": text("turns"), "session_id": "s1", "metadata": metadata}
    yield "memory", "pin_memory", {"content": text("memories")}
    yield "fact", "record_fact", {"subject": word("facts"), "predicate": "says", "object": text("facts")}
    hour = {"start": f"{today}T15:00:00+01:00", "end": f"{today}T16:00:00+01:00"}
    yield "booking", "book_slot", {"calendar_id": "primary", "summary": text("events"), **hour}
    yield "note", "notes_create", {"title": text("notes"), "body": text("notes")}
    yield "journal", "journal_create", {"title": text("journal"), "body": text("journal"), "date": today}
    yield "board", "kanban_edit_board", {"action": "create_board", "title": text("cards"), "columns": ["To do", "Done"]}
    files = [{"path": "src/deploys.py", "content": f'def zqcodezq():\n    """{text("code")}"""\n    return 1\n'}]
    yield "code", "index_files", {"repo_id": "acme/web", "files": files}
    head = f"---\nname: quarterly-plan\ndescription: {text('skills')}\n---\n{text('skills')}\n"
    yield "skill", "install_skill", {"skill_md": head}
    yield "claim", "claim", {"key": f"story:{word('teamwork')}", "holder": word("teamwork"), "ttl_ms": 86_400_000}
    yield "broadcast", "set_broadcast", {"key": "plan", "value": text("teamwork")}
    yield "heartbeat", "heartbeat", {"current_file": "src/deploys.py", "current_action": word("teamwork")}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("scope"))


WIDE: dict[str, list[Json]] = {
    "search_memory": [
        {"query": "quarterly plan of deploys", "include": ["notes", "journal", "events", "cards", "facts"]},
        {"query": "quarterly plan of deploys", "include": ["code", "skills"]},
        {"query": "quarterly plan of deploys", "mode": "code"},
        {"query": "quarterly plan of deploys", "mode": "skills"},
    ],
    "get_snapshot": [{"since": 0}, {}],
    "list_edges": [{"subject": "zq", "hops": 3}],
}
"""What asks for the data of most families, beside what is made from the schemas."""


def test_all_of_it_is_found_by_a_key_for_all(project: Project):
    """Or the test beside would prove nothing."""
    calls = [(tool, arguments) for tool, given in WIDE.items() for arguments in given]
    calls += [(tool, {}) for tool in ("get_broadcast", "list_recent_turns", "list_claims", "kanban_list_boards")]
    answers = [project.world.call(project.full, tool, arguments) for tool, arguments in calls]

    assert shown([answer.body for answer in answers], WORDS) == {*WORDS}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_key_for_one_family_reads_nothing_of_the_others(project: Project, family: str):
    key, random = project.key(family), Random(family)
    maker = ArgumentMaker(random, project.words)
    tools = [tool for one in project.world.families if one.name == family for tool in one.tools]
    for tool in sorted(tools, key=lambda one: one.effect is Effect.REMOVES):
        made = (project.crossed(maker.arguments(tool.input_schema), random) for _ in range(TRIES))
        for arguments in (*WIDE.get(tool.name, []), *made):
            answer = project.world.call(key, tool.name, arguments)
            assert shown(answer.body, foreign(family)) == set(), (tool.name, arguments)
    project.world.follow()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_key_for_one_family_reads_no_resource_of_the_others(project: Project, family: str):
    key = project.key(family)
    listed = project.world.ask(key, "resources/list", {}).body.get("result", {}).get("resources", [])
    read = [project.world.ask(key, "resources/read", {"uri": one["uri"]}).body for one in listed]

    assert shown([listed, *read], foreign(family)) == set()
    assert ("quarterly-plan" in str(listed)) == (family == "skills")


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "team"])
def test_a_listener_hears_what_the_families_of_its_key_own(project: Project, family: str):
    families = ("team", family)
    wanted = subscription(Subscribe(), families)
    log = Log(project.world.store).after(Scope("acme", PROJECT), 0, 1000)
    heard = [dict(one.event.payload) for one in log.entries if wanted.wants(one.event)]
    unheard = [one for one in foreign(family) if one in foreign("team")]

    assert shown(heard, unheard) == set()
    assert shown([dict(one.event.payload) for one in log.entries], WORDS) != set()


def test_what_was_left_out_is_said(project: Project):
    memory = project.key("memory")
    included = project.world.call(memory, "search_memory", WIDE["search_memory"][0]).result
    snapshot = project.world.call(memory, "get_snapshot", {}).result
    edges = project.world.call(
        project.key("knowledge"), "list_edges", {"id": project.known["fact"]["fact"]["fact_id"]}
    ).result

    assert "notes (planner)" in included["notes"][0]
    assert any("teamwork (team)" in note for note in snapshot["notes"])
    assert edges["edges"] == []
    assert "memories (memory or context)" in edges["notes"][0]


def test_a_key_for_knowledge_supersedes_no_memory(project: Project):
    memory = project.known["memory"]["memory"]["id"]
    edge = {"src_id": project.known["fact"]["fact"]["fact_id"], "dst_id": memory, "kind": "supersedes"}
    answer = project.world.call(project.key("knowledge"), "create_edge", edge)

    assert not answer.succeeded
    assert "memory or context" in str(answer.body)


def test_requiring_a_claim_needs_the_family_team(project: Project):
    turn = {"content": "Work.", "requires_claim": f"story:{word('teamwork')}"}
    answer = project.world.call(project.key("memory"), "record_turn", turn)

    assert not answer.succeeded
    assert "the family team" in str(answer.body)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_of_event_belongs_to_the_family_that_tells_it(family: str):
    kinds = {kind.name for kind in declaration(family).rule_events()}

    assert kinds <= kinds_heard([family])


@pytest.mark.parametrize("family", FAMILIES)
def test_rules_hear_and_cause_what_the_families_of_the_key_own(family: str):
    everything = installation(rule_sources())
    here = type(everything)(everything.kinds, everything.tools, ("team", family))
    for kind in everything.kinds:
        for action in everything.tools:
            is_allowed = not {"team", family}.isdisjoint(EVENTS[kind]) and may_see(("team", family), ACTIONS[action])
            if is_allowed:
                here.check(kind, [action])
            else:
                with pytest.raises(Forbidden):
                    here.check(kind, [action])
