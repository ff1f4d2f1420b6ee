"""Split the speaker's name off turns that begin like transcripts: "Caroline: see you"."""

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
"""Words that are labels rather than speakers when a colon follows them."""


_ROLE_OF_LINE = re.compile(r"^(?P<day>\d{4}-\d\d-\d\d )?(?:User|Assistant|Agent|Tool|System|Event): ", re.MULTILINE)


def others_words(content: str, kind: str) -> str:
    """Return the words of others in a text: of a summary, its lines without the roles that Almanac put before them.

    Lines that begin with "User:" and "Assistant:" would be taken for a made-up talk."""
    return _ROLE_OF_LINE.sub(r"\g<day>", content) if kind in ("consolidated", "reflection") else content


def split_speaker(content: str) -> tuple[str, str]:
    """Return the speaker's name at the beginning of a text, and the words that follow it. The name may be ""."""
    match = _label_pattern().match(content)
    words = match[1].split() if match else []
    if match is None or words[0].casefold() in _LABELS or any(each[0].islower() for each in words):
        return "", content
    return match[1], content[match.end() :]


def speaker_and_words(speaker: str | None, content: str, role: Role = "user") -> tuple[str, str]:
    """Return the speaker and the words of a turn, without the name that a transcript puts before them.

    Only turns of people, and turns with a known speaker, are read as transcripts. An agent that writes "Noted: two
    boxes" or "Thursday: dentist" labels its own words.
    """
    name, words = split_speaker(content) if role == "user" or speaker else ("", content)
    if not speaker:
        return name, words
    return speaker, words if name.casefold() == speaker.casefold() else content


@cache
def _label_pattern() -> re.Pattern[str]:
    """Return the pattern for one to three words before a colon."""
    word = r"[^\W\d_]{2,30}"
    return re.compile(rf"({word}(?: {word}){{0,2}}): (?=\S)")
