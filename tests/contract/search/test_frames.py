"""Test that every index answers like one that looks at every document, after any writes, removals and enrichments."""

from collections.abc import Sequence
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from almanac.kernel.caller import Scope
from almanac.search.port import LEGS, Context, Entry, Filters, Leg, Profile, Question, Removal, SearchIndex
from tests.contract.search.frames import frame_values
from tests.contract.search.index_samples import context, entry, question
from tests.contract.search.settled_index import SettledIndex, next_scope
from tests.doubles.search_index import MemoryIndex

WORDS = ["ginger", "tea", "milk", "naïve", "茶", "☕", "c++", "a.py", "''", "und", "NULL", "%"]
PROFILES: list[Profile] = ["talk", "documents", "code"]
IDS = ["a", "A", "é-1", "茶", "x" * 200]

texts = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
versions = st.integers(1, 4)
ids = st.sampled_from(IDS)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    name = draw(ids)
    return entry(
        name,
        draw(texts),
        title=draw(texts),
        kind=draw(st.sampled_from(["turn", "note"])),
        profile=draw(st.sampled_from(PROFILES)),
        version=draw(versions),
        # Two documents never stand at one position of a session.
        session=draw(st.sampled_from(["", "s", "t"])),
        position=IDS.index(name) + len(IDS) * draw(st.sampled_from([0, 1, 5])),
        role=draw(st.sampled_from(["user", "assistant"])),
        speaker=draw(st.sampled_from(["", "Ann", "Bob"])),
        at=draw(st.integers(0, 5)),
        tags=tuple(draw(st.lists(st.sampled_from(["hot", "cold", "ärger"]), max_size=2))),
        fields=draw(st.dictionaries(st.sampled_from(["path", "actor"]), st.sampled_from(["a.py", "ann"]))),
        names=draw(st.integers(0, 3)),
    )


def context_of(one: Entry) -> Context:
    """A context is made of a version of a document, which says one thing for good."""
    chance = Random(f"{one.profile} {one.id} {one.version}")
    return context(one, " ".join(chance.choices(WORDS, k=chance.randrange(60))))


contexts = entries().map(context_of)
removals = st.builds(Removal, id=ids, profile=st.sampled_from(PROFILES), version=versions)
writes = st.one_of(
    st.lists(entries(), min_size=1, max_size=6),
    st.lists(removals, min_size=1, max_size=2),
    st.lists(contexts, max_size=4),
)
filters = st.builds(
    Filters,
    kinds=st.sampled_from([(), ("note",)]),
    sessions=st.sampled_from([(), ("s",), ("s", "")]),
    roles=st.sampled_from([(), ("user",)]),
    speakers=st.sampled_from([(), ("ann",), ("BOB", "")]),
    tags=st.sampled_from([(), ("ärger",), ("hot", "cold")]),
    since=st.none() | st.integers(0, 5),
    until=st.none() | st.integers(0, 5),
    fields=st.sampled_from([{}, {"path": "a.py"}, {"path": "ann", "actor": "ann"}]),
    except_ids=st.frozensets(ids, max_size=3),
    except_fields=st.sampled_from([{}, {"path": "a.py"}, {"actor": "ann"}]),
)
questions = st.builds(question, texts, contextual=st.booleans())


Step = Sequence[Entry] | Sequence[Removal] | Sequence[Context]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    steps=st.lists(writes, min_size=1, max_size=6),
    asked=questions,
    filters=filters,
    legs=st.sampled_from([LEGS, LEGS[:1], LEGS[1:]]),
)
def test_an_answer_is_that_of_an_index_that_looks_at_every_document(
    search_index: SettledIndex,
    steps: Sequence[Step],
    asked: Question,
    filters: Filters,
    legs: Sequence[Leg],
):
    scope, oracle = next_scope(), MemoryIndex()
    for step in steps:
        # Between the writes too: what was read before must not be taken for what is there now.
        for index in (oracle, search_index.index):
            _write(index, scope, step)
        search_index.settle()
        for profile in PROFILES:
            found = search_index.frame(scope, asked, filters, profile=profile, legs=legs)
            assert frame_values(found) == frame_values(oracle.candidates(scope, profile, asked, filters, legs, 100))
    for each in PROFILES:
        assert search_index.index.list_states(scope, each) == oracle.list_states(scope, each)


def _write(index: SearchIndex, scope: Scope, step: Step) -> None:
    index.index(scope, [each for each in step if isinstance(each, Entry)])
    index.remove(scope, [each for each in step if isinstance(each, Removal)])
    index.enrich(scope, [each for each in step if isinstance(each, Context)])
