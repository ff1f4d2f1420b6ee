"""The order of the hits of talk by how likely they answer the question."""

import pytest

from almanac.families.memory.core.memory import open_memory
from almanac.families.memory.core.records import Memory, Role, Turn
from almanac.families.memory.search.filters import HitFilters
from almanac.families.memory.search.last_talk import LastTalk
from almanac.families.memory.search.likely_answers import likeliest_first
from almanac.search.questions.port import Hit
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import MemoryBuilder


@pytest.fixture
def builder(app: ProjectApp) -> MemoryBuilder:
    return MemoryBuilder(app)


class Talk:
    """Turns of one session, each with a hit of the same score."""

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self.turns: dict[str, Turn | Memory] = {}

    def say(self, name: str, text: str, whole: float = 0.2, *, role: Role = "user", place: int | None = None) -> None:
        self.hits.append(Hit(id=name, kind="turn", version=1, score=9, similarity=0.5, whole=whole))
        self.turns[name] = Turn(
            id=name, content=text, at=0, recorded_at=0, actor="ann", role=role, session="s", position=place
        )

    def order(self, question: str, **worth: float) -> list[str]:
        likely = likeliest_first(self.hits, self.turns, question, lambda turn: worth.get(turn.id))
        return [hit.id for hit in likely]


def test_a_turn_that_matters_comes_before_small_talk() -> None:
    talk = Talk()
    talk.say("thanks", "thanks!")
    talk.say("rule", "never touch the green file")
    assert talk.order("the file") == ["thanks", "rule"]
    assert talk.order("the file", thanks=0.02, rule=0.9) == ["rule", "thanks"]


def test_output_of_a_tool_is_no_likely_answer() -> None:
    talk = Talk()
    talk.say("tool", "never touch the green file, 12 files", role="tool")
    talk.say("said", "we looked at the files")
    assert talk.order("how many files are there?", tool=0.9) == ["said", "tool"]


def test_a_value_of_the_kind_that_is_sought_counts() -> None:
    talk = Talk()
    talk.say("idle", "we always dry the sails after rain")
    talk.say("count", "we have three sails")
    assert talk.order("how many sails do we have?") == ["count", "idle"]
    assert talk.order("what about the rain?") == ["idle", "count"]


def test_a_question_a_few_turns_before_makes_a_terse_answer_likely() -> None:
    talk = Talk()
    talk.say("other", "keep the blue one", 0.3, place=1)
    talk.say("asks", "which file stays as it is?", 0.9, role="assistant", place=7)
    talk.say("answer", "the green one", 0.1, place=9)
    talk.say("later", "the red one", 0.1, place=18)
    assert talk.order("the file that stays") == ["answer", "asks", "other", "later"]


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("may I open the crate early?", "never open it before the customs man came"),
        ("maximum weight of a crate", "we pack twenty kilos tops"),
        ("how should the crates be labelled?", "always write the year and the port on them, please"),
    ],
)
def test_a_rule_of_the_form_that_the_question_seeks_comes_before_what_is_as_near(question: str, rule: str) -> None:
    talk = Talk()
    talk.say("other", "I took the oak crate to Lisbon with 2 men", 0.3)
    talk.say("rule", rule, 0.14)
    assert talk.order("where is the crate?") == ["other", "rule"]
    assert talk.order(question) == ["rule", "other"]


def test_the_worth_of_a_turn_is_known_in_talk_with_an_agent(app: ProjectApp, builder: MemoryBuilder) -> None:
    rule = builder.turn("Never deploy on a Friday, we always wait until Monday.", "s")
    builder.turn("Understood, no deploys on Fridays.", "s", role="assistant")
    thanks = builder.turn("thanks a lot!", "s")
    project = open_memory(app.services, app.caller, app.clock)

    def worth(turn_id: str, narrowing: HitFilters) -> float | None:
        turn = project.find(turn_id)
        assert isinstance(turn, Turn)
        return LastTalk(project, narrowing).worth_of(turn)

    assert worth(thanks, HitFilters()) == 0
    assert (worth(rule, HitFilters()) or 0) > 0.1
    assert worth(rule, HitFilters(session="s")) is None
