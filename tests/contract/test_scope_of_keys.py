"""A key reads, changes and causes only what one of its families owns.

Everything that a project can hold is written with a word of its own for each kind of data. Then a key for each family
alone calls every tool that it has, with arguments made from the schemas and with the ids of everything, reads every
resource and listens to the feed. No answer may hold a word of data that the family does not own.
"""

from random import Random

import pytest

from almanac.composition.families import FAMILIES, declaration, rule_sources
from almanac.families.team.core.rule_sources import installation
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Forbidden
from almanac.kernel.owners import ACTIONS, EVENTS, OWNERS, may_see, visible_event_kinds
from almanac.platform.feed.frames import Subscribe, subscription
from almanac.platform.feed.log import Log
from almanac.protocol.tool import Effect
from tests.contract.tenancy.arguments import ArgumentMaker
from tests.contract.tenancy.planted import PROJECT, WIDE, WORDS, Project, word
from tests.contract.tenancy.values import texts_shown

TRIES = 30


def foreign(family: str) -> list[str]:
    return [each for each, data in WORDS.items() if family not in OWNERS[data]]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("scope"))


def test_all_of_it_is_found_by_a_key_for_all(project: Project):
    """Or the test beside would prove nothing."""
    calls = [(tool, arguments) for tool, given in WIDE.items() for arguments in given]
    calls += [(tool, {}) for tool in ("get_broadcast", "list_recent_turns", "list_claims", "kanban_list_boards")]
    answers = [project.world.call(project.full, tool, arguments) for tool, arguments in calls]

    assert texts_shown([answer.body for answer in answers], WORDS) == {*WORDS}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_key_for_one_family_reads_nothing_of_the_others(project: Project, family: str):
    key, random = project.key(family), Random(family)
    maker = ArgumentMaker(random, project.words)
    tools = [tool for one in project.world.families if one.name == family for tool in one.tools]
    for tool in sorted(tools, key=lambda one: one.effect is Effect.REMOVES):
        made = (project.cross_ids(maker.arguments(tool.input_schema), random) for _ in range(TRIES))
        for arguments in (*WIDE.get(tool.name, []), *made):
            answer = project.world.call(key, tool.name, arguments)
            assert texts_shown(answer.body, foreign(family)) == set(), (tool.name, arguments)
    project.world.follow()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_key_for_one_family_reads_no_resource_of_the_others(project: Project, family: str):
    key = project.key(family)
    listed = project.world.ask(key, "resources/list", {}).body.get("result", {}).get("resources", [])
    read = [project.world.ask(key, "resources/read", {"uri": one["uri"]}).body for one in listed]

    assert texts_shown([listed, *read], foreign(family)) == set()
    assert ("quarterly-plan" in str(listed)) == (family == "skills")


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "team"])
def test_a_listener_hears_what_the_families_of_its_key_own(project: Project, family: str):
    families = ("team", family)
    wanted = subscription(Subscribe(), families)
    log = Log(project.world.store).after(Scope("acme", PROJECT), 0, 1000)
    heard = [dict(one.event.payload) for one in log.entries if wanted.wants(one.event)]
    unheard = [one for one in foreign(family) if one in foreign("team")]

    assert texts_shown(heard, unheard) == set()
    assert texts_shown([dict(one.event.payload) for one in log.entries], WORDS) != set()


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

    assert not answer.has_succeeded
    assert "memory or context" in str(answer.body)


def test_requiring_a_claim_needs_the_family_team(project: Project):
    turn = {"content": "Work.", "requires_claim": f"story:{word('teamwork')}"}
    answer = project.world.call(project.key("memory"), "record_turn", turn)

    assert not answer.has_succeeded
    assert "the family team" in str(answer.body)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_of_event_belongs_to_the_family_that_tells_it(family: str):
    kinds = {kind.name for kind in declaration(family).rule_events()}

    assert kinds <= visible_event_kinds([family])


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
