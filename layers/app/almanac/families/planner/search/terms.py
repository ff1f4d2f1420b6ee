"""What a text is found by, and whether it is what was asked for.

A text is folded (compatibility forms and case do not count, white space is one space) and cut into pieces: words, which
are runs of letters and digits; single characters of scripts that write no spaces; single symbols. A query is terms,
separated by spaces or kept together by double quotes; each must stand in the text as it is written, `rm -rf` with its
dash, from the beginning of a word on: `deploy` finds `deployment`, `app.py` finds `src/app.py`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct

from almanac.kernel.errors import InvalidInput

MAX_QUERY_CHARACTERS = 1000
PIECE_LENGTH = 32
EXCERPT_LENGTH = 160

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters."""
_PIECE = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+|[^\w\s]|_")
_IN_WORD = re.compile(rf"[^\W_{_UNSPACED}]")
_EVERYWHERE = frozenset("""._,;:!?'"`()-/*#""")
"""What nearly every text holds finds nothing in particular."""
_TERM = re.compile(r'"([^"]+)"|(\S+)')


class Term(Struct, frozen=True):
    """`text` is folded. `pieces` stand in every text that has the term; the last of its words, `beginning`, may be
    the beginning of a longer one there."""

    text: str
    pieces: tuple[str, ...]
    beginning: str | None


def fold(text: str) -> str:
    """The form in which texts are compared."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def pieces_of(texts: Iterable[str]) -> frozenset[str]:
    """What the texts are found by; words by their first 32 characters."""
    found = {piece[:PIECE_LENGTH] for text in texts for piece in _PIECE.findall(fold(text))}
    return frozenset(found - _EVERYWHERE)


def terms_of(query: str) -> tuple[Term, ...]:
    """The terms of a query; none for a query of nothing but space. Raises InvalidInput over 1000 characters."""
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidInput(
            f"The query has {len(query)} characters, over {MAX_QUERY_CHARACTERS}.",
            'Use fewer words, or join a phrase with double quotes: "rm -rf build".',
            path="q",
        )
    texts = [fold(match[1] or match[2]) for match in _TERM.finditer(query)]
    return tuple(_term(text) for text in dict.fromkeys(texts) if text)


def matches(terms: Sequence[Term], texts: Iterable[str]) -> bool:
    """Whether each term stands in one of the texts."""
    if not terms:
        return True
    missing = list(terms)
    for text in texts:
        folded = fold(text)
        missing = [term for term in missing if not _stands_in(term.text, folded)]
        if not missing:
            return True
    return False


def excerpt_of(text: str, terms: Sequence[Term] = ()) -> str:
    """At most 160 characters of the text on one line, from a little before the first term that is in it."""
    line = " ".join(text.split())
    found = (re.search(re.escape(term.text), line, re.IGNORECASE) for term in terms)
    first = next((match.start() for match in found if match), 0)
    start = max(0, first - 40) if first > EXCERPT_LENGTH // 2 else 0
    cut = line[start : start + EXCERPT_LENGTH].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + EXCERPT_LENGTH < len(line) else ''}"


def _term(text: str) -> Term:
    found = list(_PIECE.finditer(text))
    last = found[-1] if found else None
    beginning: str | None = None
    if last is not None and last.end() == len(text) and _IN_WORD.match(last[0]) and len(last[0]) < PIECE_LENGTH:
        beginning = last[0]
        found.pop()
    pieces = dict.fromkeys(piece[0][:PIECE_LENGTH] for piece in found if piece[0] not in _EVERYWHERE)
    return Term(text, tuple(pieces), beginning)


def _stands_in(term: str, text: str) -> bool:
    begins_a_word = _IN_WORD.match(term) is not None
    at = text.find(term)
    while at >= 0:
        if not (begins_a_word and at > 0 and _IN_WORD.match(text[at - 1])):
            return True
        at = text.find(term, at + 1)
    return False
