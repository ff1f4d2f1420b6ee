"""Find turns that later ones take back: "deploy hourly" is answered by "no, every 30 minutes" where both are found.

Only turns of one search are compared. They are about the same question, so a later decision that names a rare word of
an earlier turn and corrects something most likely replaces it.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from almanac.families.memory.candidates.standing import corrects, topic_terms
from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.classifying import classify
from almanac.families.memory.statements.sentences import sentences_of

_CHARACTERS = 2_000
_SENTENCES = 12
_LEAST_SHARE = 0.4
_RARE = 0.35
"""The largest share of the turns that may have a word by which two are compared."""
_SHARED = 0.2
"""The share of the words of the shorter turn that both must have."""
_BINDING = frozenset({"decision", "deadline", "constraint", "convention", "preference"})
_SPEAKING = ("user", "assistant", "agent")


def later_words(turns: Sequence[Turn]) -> dict[str, Turn]:
    """Map the ids of turns to the latest of `turns` that takes them back."""
    said = [one for one in turns if one.role in _SPEAKING]
    terms = {one.id: topic_terms(one.content[:_CHARACTERS]) for one in said}
    having = Counter(term for own in terms.values() for term in own)
    rare = {term for term, count in having.items() if count <= max(3, _RARE * len(said))}
    later = sorted((one for one in said if _binds_anew(one.content[:_CHARACTERS])), key=lambda one: -one.at)
    found: dict[str, Turn] = {}
    for one in said:
        for other in later:
            if other.at <= one.at:
                break
            shared = len(terms[one.id] & terms[other.id] & rare)
            if shared and shared >= _SHARED * min(len(terms[one.id]), len(terms[other.id])):
                found[one.id] = other
                break
    return found


@lru_cache(1024)
def _binds_anew(text: str) -> bool:
    """Return whether a turn corrects something and decides it."""
    return corrects(text) and not text.rstrip().endswith("?") and binds(text)


def binds(text: str) -> bool:
    """Return whether a turn decides, forbids, asks for or dates something."""
    judgements = map(classify, sentences_of(text[:_CHARACTERS])[:_SENTENCES])
    return any(one.kind in _BINDING and one.share >= _LEAST_SHARE for one in judgements)
