"""Test that talks of two sessions propose the same statements, whenever they are read, forgotten and restored."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.families.memory.candidates.proposals import propose
from almanac.families.memory.candidates.records import CANDIDATES, WAITING
from almanac.families.memory.core.records import TURNS, Turn, is_remembered
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import forget, record, restore
from tests.unit.families.memory.remembered import project_of


class Utterance(NamedTuple):
    session: str
    role: str
    text: str
    speaker: str | None


def utterances(number: int) -> st.SearchStrategy[Utterance]:
    """Return turns to draw. Most have words that no other turn has, because the same words are proposed only once."""
    session = st.sampled_from("ab")
    words = [
        f"{number} hours then",
        f"larch {number} then",
        "use that",
        f"We decided to buy {number} kilns.",
        "the cat",
    ]
    answers = [f"The kiln cools for {number - 1} hours now.", f"Larch {number - 1} for the shelves.", "Done."]
    return st.one_of(
        st.builds(Utterance, session, st.just("user"), st.sampled_from(words), st.sampled_from(["Ann", "Ben"])),
        st.builds(Utterance, session, st.just("assistant"), st.sampled_from(answers), st.none()),
        st.builds(Utterance, session, st.just("tool"), st.just("$ kiln list\nok"), st.none()),
    )


def talks() -> st.SearchStrategy[list[Utterance]]:
    return st.integers(3, 9).flatmap(lambda size: st.tuples(*map(utterances, range(2, size + 2))).map(list))


def record_talk(folder: str, talk: Sequence[Utterance], *, at_once: bool) -> tuple[ProjectApp, list[Turn]]:
    app = ProjectApp(Path(folder))
    turns: list[Turn] = []
    for one in talk:
        app.wait(minutes=1)
        turns.append(record(app, one.text, one.session, role=one.role, speaker=one.speaker))
        if at_once:
            app.react()
    app.react()
    return app, turns


def check_pending(app: ProjectApp) -> list[tuple[str, str]]:
    """Return the pending candidates; check that they are counted and name only remembered turns of one session."""
    project = project_of(app)
    candidates = project.rows(CANDIDATES).query("pending", index="gsi1", limit=200).records
    for one in candidates:
        sources = [project.rows(TURNS).get(each) for each in (one.turn, one.answer) if each]
        assert all(each is not None and is_remembered(each, project.now()) for each in sources)
        assert {each.session for each in sources if each} == {one.session}
    count_record = project.rows(WAITING).get()
    assert (count_record.count if count_record else 0) == len(candidates)
    return sorted((one.session or "", one.content) for one in candidates)


@settings(max_examples=30)
@given(said=talks(), data=st.data())
def test_talks_propose_the_same_whenever_they_are_read(said: list[Utterance], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        app, turns = record_talk(one, said, at_once=True)
        late, _ = record_talk(other, said, at_once=False)
        known = check_pending(app)
        assert check_pending(late) == known
        assert not any(list(propose(event, app.services)) for event in app.events("turn_recorded"))
        gone = data.draw(st.permutations(turns))[: data.draw(st.integers(1, 3))]
        for turn in gone:
            forget(app, turn.id)
            app.react()
            assert set(check_pending(app)) <= set(known)
        for turn in data.draw(st.permutations(gone)):
            restore(app, turn.id)
            app.react()
        assert check_pending(app) == known
