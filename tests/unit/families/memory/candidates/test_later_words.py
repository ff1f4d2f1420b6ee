"""Turns that later ones of the same search take back."""

from almanac.families.memory.candidates.later_words import later_words
from almanac.families.memory.core.records import Role, Turn

IDLE = ["The heron sat on the mast.", "Two fenders are missing.", "Ropes were washed.", "The kettle leaks."]


def replaced(*said: str) -> dict[str, str]:
    turns: list[Turn] = []
    for at, line in enumerate([*said, *(f"user: {one}" for one in IDLE)]):
        role, content = line.split(": ", 1)
        who: Role = "tool" if role == "tool" else "user"
        turns.append(Turn(id=f"t{at}", content=content, role=who, at=at, recorded_at=at, actor="a"))
    return {old: new.id for old, new in later_words(turns[::-1]).items()}


def test_a_correction_replaces_what_it_names() -> None:
    assert replaced("user: the hull gets varnish then", "user: no varnish after all, take teak oil instead") == {
        "t0": "t1"
    }


def test_the_latest_of_several_corrections_replaces() -> None:
    said = (
        "user: the hull gets varnish then",
        "user: no varnish after all, take teak oil instead",
        "user: no oil and no varnish either, we paint it instead",
    )
    assert replaced(*said) == {"t0": "t2", "t1": "t2"}


def test_other_subjects_questions_and_output_of_tools_replace_nothing() -> None:
    decided = "user: the hull gets varnish then"
    assert replaced(decided, "user: no sails today, take the engine instead") == {}
    assert replaced(decided, "user: should we take teak oil instead of varnish?") == {}
    assert replaced(decided, "tool: varnish not found, use teak oil instead") == {}


def test_an_earlier_correction_does_not_replace() -> None:
    assert "t1" not in replaced("user: no varnish after all, take oil instead", "user: we use varnish for the hull")
