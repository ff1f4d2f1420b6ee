"""Phrases of queries, and matching of texts.

A query consists of phrases, separated by spaces or quoted. Each must occur in the text as written, at the beginning of
a word: `rm -rf` with its dash, `deploy` also in `deployment`, `app.py` also in `src/app.py`.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from almanac.kernel.errors import InvalidInput
from almanac.search.analysis.exact_words import EVERYWHERE, UNSPACED, WORD, WORD_LENGTH, fold

MAX_QUERY_CHARACTERS = 1000
EXCERPT_LENGTH = 160

_IN_WORD = re.compile(rf"[^\W_{UNSPACED}]")
_PHRASE = re.compile(r'"([^"]+)"|(\S+)')


class Phrase(Struct, frozen=True):
    """A phrase. `text` is folded. A matching text has all its `words`, and a word that begins with `prefix`."""

    text: str
    words: tuple[str, ...]
    prefix: str | None


def phrases_of(query: str) -> tuple[Phrase, ...]:
    """Parse a query; a blank one has no phrases. Raises InvalidInput over 1000 characters."""
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidInput(
            f"The query has {len(query)} characters, over {MAX_QUERY_CHARACTERS}.",
            'Use fewer words, or join a phrase with double quotes: "rm -rf build".',
            path="q",
        )
    texts = [fold(match[1] or match[2]) for match in _PHRASE.finditer(query)]
    return tuple(_phrase(text) for text in dict.fromkeys(texts) if text)


def matches(phrases: Sequence[Phrase], texts: Iterable[str]) -> bool:
    """Return whether each phrase occurs in one of the texts."""
    missing = list(phrases)
    if not missing:
        return True
    for text in texts:
        folded = fold(text)
        missing = [phrase for phrase in missing if not _occurs_in(phrase.text, folded)]
        if not missing:
            return True
    return False


def excerpt_of(text: str, phrases: Sequence[Phrase] = ()) -> str:
    """Return at most 160 characters of the text on one line, from a little before the first matching phrase."""
    line = " ".join(text.split())
    matched = (re.search(re.escape(phrase.text), line, re.IGNORECASE) for phrase in phrases)
    first = next((match.start() for match in matched if match), 0)
    start = max(0, first - 40) if first > EXCERPT_LENGTH // 2 else 0
    cut = line[start : start + EXCERPT_LENGTH].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + EXCERPT_LENGTH < len(line) else ''}"


def _phrase(text: str) -> Phrase:
    found = list(WORD.finditer(text))
    last = found[-1] if found else None
    prefix: str | None = None
    if last is not None and last.end() == len(text) and _IN_WORD.match(last[0]) and len(last[0]) < WORD_LENGTH:
        prefix = last[0]
        found.pop()
    words = dict.fromkeys(word[0][:WORD_LENGTH] for word in found if word[0] not in EVERYWHERE)
    return Phrase(text, tuple(words), prefix)


def _occurs_in(phrase: str, text: str) -> bool:
    begins_a_word = _IN_WORD.match(phrase) is not None
    at = text.find(phrase)
    while at >= 0:
        if not (begins_a_word and at > 0 and _IN_WORD.match(text[at - 1])):
            return True
        at = text.find(phrase, at + 1)
    return False
