"""Name the topic of a sentence by its less common words, so that two sentences about one thing can be matched."""

import re
from functools import lru_cache
from itertools import pairwise

from almanac.families.memory.statements.words import words_of

_STEM = 5
_COMMON_STEMS = frozenset(
    one[:_STEM]
    for one in re.findall(
        r"\w+",
        """
        todo task open left done finished ready ticked first second third option instead please decided agreed use uses
        take takes make makes keep keeps come comes came run runs call called give gives get gets want wants wanted need
        needs know knows find found tell told start starts send sends cannot share shares till until every each much
        many more less only just also still already again even really old new good great little big day days week month
        months year years morning evening night time people somebody everybody thing things january february march april
        may june july august september october november december today tomorrow monday tuesday wednesday thursday friday
        saturday sunday
        """,
    )
)
"""The first five letters of common words, which name no topic."""
_NUMBER_WORDS = """
two three four five six seven eight nine ten eleve twelv thirt fourt fifte sixte twent fifty sixty
"""
NUMBER_STEMS = frozenset(_NUMBER_WORDS.split())
"""The first five letters of number words."""


@lru_cache(maxsize=2048)
def topic_terms(text: str) -> frozenset[str]:
    """Return the topic words of a sentence by their first five letters, and each number together with the next word."""
    words = list(words_of(text))
    numbered = {f"{one} {other}" for one, other in pairwise(words) if one.isdecimal()}
    return frozenset(word[:_STEM] for word in words if _may_name(word) and word[:_STEM] not in _COMMON_STEMS) | numbered


def _may_name(word: str) -> bool:
    """Return whether a word may name a thing, as "fly.io" and "s3" do and "9am" does not."""
    return word[0].isalpha() and "'" not in word
