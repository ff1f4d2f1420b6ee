"""Turns that begin as transcripts do."""

import pytest

from almanac.families.memory.core.documents import turn_document
from almanac.families.memory.core.speakers import speaker_and_words, split_speaker
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import MemoryBuilder, turn_of


@pytest.mark.parametrize(
    ("content", "speaker", "said"),
    [
        ("Caroline: see you", "Caroline", "see you"),
        ("Ann Lee: Bob: no", "Ann Lee", "Bob: no"),
        ("Jürgen Müller: ja", "Jürgen Müller", "ja"),
        ("Error: no such file", "", "Error: no such file"),
        ("Next steps: deploy", "", "Next steps: deploy"),
        ("Next Step: deploy", "", "Next Step: deploy"),
        ("TODO: deploy", "", "TODO: deploy"),
        ("caroline: see you", "", "caroline: see you"),
        ("élan vital: yes", "", "élan vital: yes"),
        ("田中: はい", "田中", "はい"),
        ("https://example.com", "", "https://example.com"),
        ("Caroline:", "", "Caroline:"),
        ("At 10:30 we meet", "", "At 10:30 we meet"),
        ("", "", ""),
    ],
)
def test_a_name_before_a_colon_speaks_and_a_label_does_not(content: str, speaker: str, said: str) -> None:
    assert split_speaker(content) == (speaker, said)


@pytest.mark.parametrize(
    ("speaker", "content", "said"),
    [
        ("Caroline", "Caroline: see you", "see you"),
        ("CAROLINE", "Caroline: see you", "see you"),
        ("Caroline", "Melanie: see you", "Melanie: see you"),
        ("Error", "Error: no such file", "Error: no such file"),
        ("Caroline", "see you", "see you"),
    ],
)
def test_a_given_speaker_is_not_read_as_part_of_what_is_said(speaker: str, content: str, said: str) -> None:
    assert speaker_and_words(speaker, content) == (speaker, said)


def test_without_a_given_speaker_the_turn_says_who_speaks() -> None:
    assert (
        speaker_and_words(None, "Caroline: see you")
        == speaker_and_words("", "Caroline: see you")
        == ("Caroline", "see you")
    )


@pytest.mark.parametrize("content", ["Noted: two boxes", "Booked: the flight", "Thursday: dentist", "Ok: Postgres"])
def test_an_agent_names_what_follows_and_not_who_speaks(content: str) -> None:
    assert speaker_and_words(None, content, "assistant") == ("", content)
    assert speaker_and_words("Planner", f"Planner: {content}", "assistant") == ("Planner", content)


def test_a_turn_that_names_its_given_speaker_again_is_searched_without_and_shown_whole(app: ProjectApp) -> None:
    builder = MemoryBuilder(app)
    turn = builder.turn("Caroline: I adopt a dog", speaker="Caroline")
    [hit] = app.do("search_memory", query="adopt")["hits"]
    assert (hit["id"], hit["content"], hit["speaker"]) == (turn, "Caroline: I adopt a dog", "Caroline")
    assert turn_document(turn_of(app, turn), 1).text == "I adopt a dog"


def test_such_a_turn_is_found_by_its_speaker_and_shown_as_it_was_recorded(app: ProjectApp) -> None:
    builder = MemoryBuilder(app)
    turn = builder.turn("Caroline: I adopt a dog")
    builder.turn("Melanie: I adopt a cat")
    builder.turn("Caroline: I adopt nobody", speaker="Melanie")
    [hit] = app.do("search_memory", query="adopt", filters={"speaker": "caroline"})["hits"]
    assert (hit["id"], hit["content"]) == (turn, "Caroline: I adopt a dog")
    assert "speaker" not in hit
