"""Words that texts are found by, whatever their case and their accents."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from almanac.content import clean

LONGEST_TEXT = 20_000
"""Of one text so many characters are looked at."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')
# Letters with strokes are no letters with accents, and are typed without all the same.
_STROKES = str.maketrans("øłđħŧı", "oldhti")


def fold(text: str) -> str:
    """The form in which texts are compared: `Café` and `cafe` are one, and `Straße` and `STRASSE`."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text).casefold().translate(_STROKES)
        text = "".join(character for character in apart if not unicodedata.combining(character))
    return " ".join(text.lower().split())


def terms_of(query: str) -> tuple[str, ...]:
    """Words, and what stands in double quotes as one; none for a query of nothing but space."""
    folded = (fold(match[1] or match[2]) for match in _TERM.finditer(query))
    return tuple(dict.fromkeys(term for term in folded if term))


def matches(terms: Sequence[str], texts: Iterable[str]) -> bool:
    """Whether each term stands in one of the texts, as they are shown: without what nobody sees."""
    read = "\n".join(fold(clean(text[:LONGEST_TEXT]).text) for text in texts if text)
    return all(term in read for term in terms)
