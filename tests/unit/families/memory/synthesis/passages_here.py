"""Builder of passages for the tests of synthesis."""

from typing import Any

from almanac.families.memory.synthesis.passages import Passage

DAY = 86_400_000
MAY_3 = 1_777_809_600_000
"""3 May 2026, 12:00 UTC."""


def passage(text: str, speaker: str = "", *, place: int = 0, **more: Any) -> Passage:
    """Return a passage of a turn in one session, at that place."""
    given: dict[str, Any] = {
        "id": f"TURN{place:02}",
        "kind": "turn",
        "at": MAY_3 + place * 1000,
        "similarity": 0.8,
        "speaker": speaker,
        "author": speaker.casefold() or "user ann",
        "role": "user",
        "session": "s",
        "position": place,
    }
    return Passage(text=text, **(given | more))
