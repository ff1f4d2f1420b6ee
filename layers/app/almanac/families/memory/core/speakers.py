"""Speakers of turns that name none but begin as transcripts do: "Caroline: see you"."""

import re
from functools import cache

from almanac.families.memory.core.records import Role

_LABELS_NAMED = (
    "action actions agent ai answer assistant author bot bug caution changelog command conclusion context date "
    "decision description done error example expected exception fact fatal feature file fix from goal hint human idea "
    "important info input issue link log message model name next note notes option output plan problem prompt "
    "question reason reminder reply request response result risk role rule source status step subject summary system "
    "task test time tip title todo tool topic type update usage user version warning why"
)
_LABELS = frozenset(_LABELS_NAMED.split())
"""Words before a colon that are no speaker."""


def speaker_of(content: str) -> tuple[str, str]:
    """The name, "" where there is none, and what is said."""
    found = _beginning().match(content)
    words = found[1].split() if found else []
    if found is None or words[0].casefold() in _LABELS or any(each[0].islower() for each in words):
        return "", content
    return found[1], content[found.end() :]


def spoken(speaker: str | None, content: str, role: Role = "user") -> tuple[str, str]:
    """Return the speaker and the words of a turn, without the speaker's name that a transcript may begin with.

    Only what people say is read as a transcript: with "Noted: two boxes" or "Thursday: dentist" an agent names what
    follows.
    """
    named, said = speaker_of(content) if role == "user" or speaker else ("", content)
    if not speaker:
        return named, said
    return speaker, said if named.casefold() == speaker.casefold() else content


@cache
def _beginning() -> re.Pattern[str]:
    """One to three words before a colon."""
    word = r"[^\W\d_]{2,30}"
    return re.compile(rf"({word}(?: {word}){{0,2}}): (?=\S)")
