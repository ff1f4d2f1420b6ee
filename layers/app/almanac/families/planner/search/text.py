"""Tokens of texts, and phrases of queries.

A text is folded (compatibility forms and case do not count, white space is one space) and cut into tokens: words, which
are runs of letters and digits; single characters of scripts that write no spaces; single symbols. A query is phrases,
separated by spaces or kept together by double quotes. Each must occur in the text as written, `rm -rf` with its dash,
at the beginning of a word: `deploy` finds `deployment`, `app.py` finds `src/app.py`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct

from almanac.kernel.errors import InvalidInput

MAX_QUERY_CHARACTERS = 1000
TOKEN_LENGTH = 32
EXCERPT_LENGTH = 160

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters."""
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+|[^\w\s]|_")
_IN_WORD = re.compile(rf"[^\W_{_UNSPACED}]")
_EVERYWHERE = frozenset("""._,;:!?'"`()-/*#""")
"""Symbols that nearly every text has: not indexed."""
_PHRASE = re.compile(r'"([^"]+)"|(\S+)')


class Phrase(Struct, frozen=True):
    """`text` is folded. A text with the phrase has all its `tokens`, and a word that begins with `prefix`."""

    text: str
    tokens: tuple[str, ...]
    prefix: str | None


def fold(text: str) -> str:
    """Normalize a text for comparison."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def tokens_of(texts: Iterable[str]) -> frozenset[str]:
    """The tokens that texts are indexed by; of words the first 32 characters."""
    found = {token[:TOKEN_LENGTH] for text in texts for token in _TOKEN.findall(fold(text))}
    return frozenset(found - _EVERYWHERE)


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
    """Whether each phrase occurs in one of the texts."""
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
    """At most 160 characters of the text on one line, from a little before the first phrase that occurs in it."""
    line = " ".join(text.split())
    matched = (re.search(re.escape(phrase.text), line, re.IGNORECASE) for phrase in phrases)
    first = next((match.start() for match in matched if match), 0)
    start = max(0, first - 40) if first > EXCERPT_LENGTH // 2 else 0
    cut = line[start : start + EXCERPT_LENGTH].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + EXCERPT_LENGTH < len(line) else ''}"


def _phrase(text: str) -> Phrase:
    found = list(_TOKEN.finditer(text))
    last = found[-1] if found else None
    prefix: str | None = None
    if last is not None and last.end() == len(text) and _IN_WORD.match(last[0]) and len(last[0]) < TOKEN_LENGTH:
        prefix = last[0]
        found.pop()
    tokens = dict.fromkeys(token[0][:TOKEN_LENGTH] for token in found if token[0] not in _EVERYWHERE)
    return Phrase(text, tuple(tokens), prefix)


def _occurs_in(phrase: str, text: str) -> bool:
    begins_a_word = _IN_WORD.match(phrase) is not None
    at = text.find(phrase)
    while at >= 0:
        if not (begins_a_word and at > 0 and _IN_WORD.match(text[at - 1])):
            return True
        at = text.find(phrase, at + 1)
    return False
