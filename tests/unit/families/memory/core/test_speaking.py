"""Turns that begin as transcripts do."""

import pytest

from almanac.families.memory.core.speaking import speaker_of
from tests.unit.families.memory.memory_app import MemoryApp
from tests.unit.families.memory.remembering import Remembering


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
    assert speaker_of(content) == (speaker, said)


def test_such_a_turn_is_found_by_its_speaker_and_shown_as_it_was_recorded(app: MemoryApp) -> None:
    remembering = Remembering(app)
    turn = remembering.turn("Caroline: I adopt a dog")
    remembering.turn("Melanie: I adopt a cat")
    remembering.turn("Caroline: I adopt nobody", speaker="Melanie")
    [hit] = app.do("search_memory", query="adopt", filters={"speaker": "caroline"})["hits"]
    assert (hit["id"], hit["content"]) == (turn, "Caroline: I adopt a dog")
    assert "speaker" not in hit
