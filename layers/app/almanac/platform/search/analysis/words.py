"""The index terms of a text.

    "Don't run `rm -rf` in src/getUserName.py, 東京!"
    do run rm -rf rf src/getusername.py src getusernam get user name py 東 京 東京

Words are lower case without accents, English stop words left out, and stemmed. Besides them stand, so that identifiers
are found as they are written: compounds, which are whatever has a sign inside or at its edge (paths, versions,
addresses, options, `C++`), whole; the parts of names in camel and snake case; lone letters; each symbol; and of scripts
that write no spaces each character and each pair of neighbours.

Time is linear in the text, of which the first 400,000 characters and 10,000 different terms count.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import chain, pairwise
from typing import cast

from almanac.platform.search.analysis.stems import stem
from almanac.platform.search.analysis.stop_words import QUESTION_WORDS, STOP_WORDS

MAX_CHARACTERS = 400_000
MAX_TERMS = 10_000
COMPOUND_CHARACTERS = 128
_WORD_CHARACTERS = 64
_CACHED_CHARACTERS = 32
_KEPT_CHUNKS = 65_536
"""Some 15 MB; then all are forgotten at once."""

_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai to Burmese, Khmer, kana, Chinese characters; Korean words too are best found by their parts."""
_MARKS = "\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
"""Vowel signs that no `\\w` covers belong to their words."""
_SYMBOLS = (
    "\u00a2-\u00a9\u00ac\u00ae-\u00b1\u00d7\u00f7\u20a0-\u20cf\u2190-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)
_LETTER = rf"(?:[{_MARKS}]|[^\W_{_UNSPACED}])"
_TOKEN = re.compile(rf"({_LETTER}+(?:'{_LETTER}+)*)|([{_UNSPACED}]+)|([{_SYMBOLS}])")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
"""All that `_TOKEN` finds in ASCII, in a third of the time."""
_SIGN = re.compile(rf"[^\w\s'{_UNSPACED}{_MARKS}{_SYMBOLS}\u200d\ufe0f\U0001f3fb-\U0001f3ff]|_")
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_TYPOGRAPHY = str.maketrans("\u2014\u2013\u2019\u2018\u201c\u201d", " -''\"\"")

_BEFORE = "\"'`([{<«,;:!?*"
_BEHIND = "\"'`)]}>».,;:!?*"
_SENTENCE = frozenset("\"'`.,;:!?-*")
"""Chunks of only these are punctuation, or lines drawn by hand."""
_CONTRACTED = frozenset({"s", "m", "d", "re", "ve", "ll"})
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall"}


def terms_of(text: str) -> list[str]:
    """The index terms in order, with repeats."""
    folded = fold(text)
    # A chunk has at most one term more than twice its characters.
    if 2 * len(folded) < MAX_TERMS:
        return [term for chunk in folded.split() for term in _terms_of_chunk(chunk, asked=False)]
    found: list[str] = []
    different: set[str] = set()
    for chunk in folded.split():
        terms = _terms_of_chunk(chunk, asked=False)
        different.update(terms)
        if len(different) > MAX_TERMS:
            break
        found += terms
    return found


def term_counts(text: str) -> dict[str, int]:
    """How often each of `terms_of` is there."""
    folded = fold(text)
    if 2 * len(folded) >= MAX_TERMS:
        return Counter(terms_of(text))
    chunks = folded.split()
    known = list(map(_KEPT.get, chunks))
    if None in known:
        known = [_kept(chunk) if terms is None else terms for chunk, terms in zip(chunks, known, strict=True)]
    return Counter(chain.from_iterable(cast("list[tuple[str, ...]]", known)))


def question_terms(text: str, limit: int) -> list[str]:
    """The first `limit` different terms of a question, without the words that questions are asked with; those that
    are indexed if no other is left."""
    chunks = fold(text).split()
    for asked in (True, False):
        terms = dict.fromkeys(term for chunk in chunks for term in _terms_of_chunk(chunk, asked=asked))
        if terms:
            return list(terms)[:limit]
    return []


def compounds_of(text: str) -> list[str]:
    """The terms that have a sign inside or at an edge, as they stand among `terms_of`."""
    found = (_compound(chunk) for chunk in fold(text).split())
    return [compound for compound in found if compound]


def fold(text: str) -> str:
    """A text without what writers differ in: compatibility forms, accents, typographic quotes and dashes. Cut."""
    if text.isascii():
        return text[:MAX_CHARACTERS]
    decomposed = unicodedata.normalize("NFKD", text[:MAX_CHARACTERS].translate(_TYPOGRAPHY))
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", decomposed))[:MAX_CHARACTERS]


def spaced(text: str) -> str:
    """A text with the parts of its names apart: `getUserName` and `get_user_name` as get user name."""
    return _HUMPED.sub(_apart, text.replace("_", " "))


# A word that `_HUMPS` finds something in: capitals, what follows them, and a capital again; or more than one of each.
_HUMPED = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]*+[a-z0-9]++(?=[A-Z])|[A-Z]{2,}+(?=[a-z]{2}))[A-Za-z0-9]++")


def _apart(word: re.Match[str]) -> str:
    return " ".join(_HUMP.findall(word[0]))


def _terms_of_chunk(chunk: str, *, asked: bool) -> tuple[str, ...]:
    if len(chunk) > _CACHED_CHARACTERS:
        return _analysed(chunk, asked)
    return _asked(chunk) if asked else _kept(chunk)


_KEPT: dict[str, tuple[str, ...]] = {}
"""Terms of chunks; a dictionary, since it is asked by `map`, which is several times faster than any call."""


def _kept(chunk: str) -> tuple[str, ...]:
    if len(chunk) > _CACHED_CHARACTERS:
        return _analysed(chunk, asked=False)
    if (terms := _KEPT.get(chunk)) is None:
        if len(_KEPT) >= _KEPT_CHUNKS:
            _KEPT.clear()
        terms = _KEPT[chunk] = _analysed(chunk, asked=False)
    return terms


@lru_cache(4096)
def _asked(chunk: str) -> tuple[str, ...]:
    return _analysed(chunk, asked=True)


def _analysed(chunk: str, asked: bool) -> tuple[str, ...]:
    if chunk.isascii() and chunk.isalnum():
        return _terms_of_word(chunk[:_WORD_CHARACTERS], asked)
    compound = _compound(chunk)
    terms = [compound] if compound else []
    if chunk.isascii():
        words = _ASCII_WORD.findall(chunk)
        for word in map(_without_contraction, words) if "'" in chunk else words:
            terms += _terms_of_word(word[:_WORD_CHARACTERS], asked)
        return tuple(terms)
    for word, run, symbol in _TOKEN.findall(chunk):
        if word:
            terms += _terms_of_word(_without_contraction(word)[:_WORD_CHARACTERS], asked)
        elif run:
            terms += run
            terms += map("".join, pairwise(run))
        else:
            terms.append(symbol)
    return tuple(terms)


def _compound(chunk: str) -> str:
    core = chunk.lstrip(_BEFORE).rstrip(_BEHIND).removesuffix("'s")
    if not (_ASCII_WORD if core.isascii() else _TOKEN).search(core):
        core = chunk  # `->`, `!=`: signs alone are what they are
    if len(core) > COMPOUND_CHARACTERS or not _SIGN.search(core):
        return ""
    trailing_off = ".." in core and "../" not in core
    return "" if trailing_off or _SENTENCE.issuperset(core) else core.lower()


@lru_cache(32768)
def _terms_of_word(word: str, asked: bool) -> tuple[str, ...]:
    stopped = QUESTION_WORDS if asked else STOP_WORDS
    lower = word.lower()
    own = () if lower in stopped or lower in {"i", "s"} else (stem(lower),)
    parts = _parts(word)
    if len(parts) < 2:
        return own
    return *own, *(stem(part) for part in map(str.lower, parts) if len(part) > 1 and part not in stopped)


def _without_contraction(word: str) -> str:
    head, apostrophe, tail = word.rpartition("'")
    if not apostrophe:
        return word
    if tail.lower() in _CONTRACTED:
        return head
    if tail.lower() == "t" and head[-1:].lower() == "n":
        return _NEGATED.get(head[:-1].lower(), head[:-1])
    return word


def _parts(word: str) -> list[str]:
    return _HUMP.findall(word) if _HUMPS.search(word) else [word]
