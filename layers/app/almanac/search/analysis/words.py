"""The index terms of a text.

    "Don't run `rm -rf` in src/getUserName.py, 東京!"
    do run rm -rf rf src/getusername.py src getusernam get user name py 東 京 東京

Words are stemmed, in lower case and without accents. English stop words are left out. Further terms let people find
identifiers as they are written:

- Compounds, which have a sign inside or at an edge, such as paths, versions, addresses, options and `C++`.
- The parts of names in camel and snake case.
- Lone letters and symbols.
- In scripts without spaces, each character and each pair of adjacent characters.

Time is linear in the text. Only its first 400,000 characters and 10,000 distinct terms count.
"""

import re
import unicodedata
from functools import partial
from itertools import pairwise

from almanac.kernel.lru_cache import LruCache
from almanac.search.analysis.stems import stem
from almanac.search.analysis.stop_words import QUESTION_WORDS, STOP_WORDS

MAX_CHARACTERS = 400_000
MAX_TERMS = 10_000
COMPOUND_CHARACTERS = 128
_WORD_CHARACTERS = 64
_KEPT_CHARACTERS = 32
_KEPT = 20_000
_KEPT_ASKED = 2_000
"""Sizes of the caches of words and of chunks. Together they take some 10 MB."""

_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai to Burmese, Khmer, kana and Chinese characters. Korean is among them, because its words too are best found by
their parts."""
_MARKS = "\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
r"""Vowel signs that no `\w` matches. They belong to their words."""
_SYMBOLS = (
    "\u00a2-\u00a9\u00ac\u00ae-\u00b1\u00d7\u00f7\u20a0-\u20cf\u2190-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)
_LETTER = rf"(?:[{_MARKS}]|[^\W_{_UNSPACED}])"
_TOKEN = re.compile(rf"({_LETTER}+(?:'{_LETTER}+)*)|([{_UNSPACED}]+)|([{_SYMBOLS}])")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
"""Pattern that finds the same words as `_TOKEN` in ASCII text, in a third of the time."""
_SIGN = re.compile(rf"[^\w\s'{_UNSPACED}{_MARKS}{_SYMBOLS}\u200d\ufe0f\U0001f3fb-\U0001f3ff]|_")
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_TYPOGRAPHY = str.maketrans("\u2014\u2013\u2019\u2018\u201c\u201d", " -''\"\"")

_BEFORE = "\"'`([{<«,;:!?*"
_BEHIND = "\"'`)]}>».,;:!?*"
_SENTENCE = frozenset("\"'`.,;:!?-*")
"""A chunk of only these characters is punctuation, or a line drawn by hand."""
_CONTRACTED = frozenset({"s", "m", "d", "re", "ve", "ll"})
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall"}


def terms_of(text: str) -> list[str]:
    """Return the index terms of a text in order, with repeats."""
    folded = fold(text)
    # A chunk has at most twice as many terms as characters, and one more.
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


def question_terms(text: str, limit: int) -> list[str]:
    """Return the first `limit` distinct terms of a question, without question words. If no term is left, return those
    that are indexed."""
    chunks = fold(text).split()
    for asked in (True, False):
        terms = dict.fromkeys(term for chunk in chunks for term in _terms_of_chunk(chunk, asked=asked))
        if terms:
            return list(terms)[:limit]
    return []


def terms_in(text: str) -> frozenset[str]:
    """Return the index terms of a text, without question words."""
    return frozenset(term for term in terms_of(text) if term not in QUESTION_WORDS)


def compounds_of(text: str) -> list[str]:
    """Return the terms with a sign inside or at an edge, as they appear among `terms_of`."""
    found = map(compound_of, fold(text).split())
    return [compound for compound in found if compound]


def fold(text: str) -> str:
    """Return a text without compatibility forms, accents, and typographic quotes and dashes, which writers use
    differently. It is cut to 400,000 characters."""
    if text.isascii():
        return text[:MAX_CHARACTERS]
    decomposed = unicodedata.normalize("NFKD", text[:MAX_CHARACTERS].translate(_TYPOGRAPHY))
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", decomposed))[:MAX_CHARACTERS]


def split_names(text: str) -> str:
    """Return a text with the parts of names separated: `getUserName` and `get_user_name` become get User Name and get
    user name."""
    return _HUMPED.sub(_split_humps, text.replace("_", " "))


# Words in which `_HUMPS` matches: a capital after small letters or digits, or two capitals before two small letters.
_HUMPED = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]*+[a-z0-9]++(?=[A-Z])|[A-Z]{2,}+(?=[a-z]{2}))[A-Za-z0-9]++")


def _split_humps(word: re.Match[str]) -> str:
    return " ".join(_HUMP.findall(word[0]))


def _terms_of_chunk(chunk: str, *, asked: bool) -> tuple[str, ...]:
    return (_asked_chunk_terms if asked else _chunk_terms)[chunk]


def terms_of_token(token: str) -> tuple[str, ...]:
    """Return the terms of a chunk of ASCII letters, digits and apostrophes between them that is no compound."""
    return _terms_of_word(_without_contraction(token)[:_WORD_CHARACTERS], asked=False)


def _extract_terms(chunk: str, *, asked: bool) -> tuple[str, ...]:
    terms_of_word = (_asked_word_terms if asked else _word_terms).__getitem__
    if chunk.isascii() and chunk.isalnum():
        return terms_of_word(chunk[:_WORD_CHARACTERS])
    compound = compound_of(chunk)
    terms = [compound] if compound else []
    if chunk.isascii():
        words = _ASCII_WORD.findall(chunk)
        for word in map(_without_contraction, words) if "'" in chunk else words:
            terms += terms_of_word(word[:_WORD_CHARACTERS])
        return tuple(terms)
    for word, run, symbol in _TOKEN.findall(chunk):
        if word:
            terms += terms_of_word(_without_contraction(word)[:_WORD_CHARACTERS])
        elif run:
            terms += run
            terms += map("".join, pairwise(run))
        else:
            terms.append(symbol)
    return tuple(terms)


def compound_of(chunk: str) -> str:
    """Return the text between two blanks as a term, or "" if it has no sign inside or at an edge."""
    core = chunk.lstrip(_BEFORE).rstrip(_BEHIND).removesuffix("'s")
    if not (_ASCII_WORD if core.isascii() else _TOKEN).search(core):
        core = chunk  # `->`, `!=`: nothing but signs
    if len(core) > COMPOUND_CHARACTERS or not _has_sign(core):
        return ""
    trailing_off = ".." in core and "../" not in core
    return "" if trailing_off or _SENTENCE.issuperset(core) else core.lower()


def _has_sign(core: str) -> bool:
    # The test for ASCII is equivalent, and does not look at each character.
    return not core.replace("'", "").isalnum() if core.isascii() else _SIGN.search(core) is not None


def _terms_of_word(word: str, *, asked: bool) -> tuple[str, ...]:
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


_chunk_terms = LruCache(partial(_extract_terms, asked=False), _KEPT, _KEPT_CHARACTERS)
_word_terms = LruCache(partial(_terms_of_word, asked=False), _KEPT, _KEPT_CHARACTERS)
_asked_chunk_terms = LruCache(partial(_extract_terms, asked=True), _KEPT_ASKED, _KEPT_CHARACTERS)
_asked_word_terms = LruCache(partial(_terms_of_word, asked=True), _KEPT_ASKED, _KEPT_CHARACTERS)
