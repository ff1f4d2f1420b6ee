"""Texts cut into sentences, and the words by which sentences are compared."""

import re
from collections.abc import Iterator

from almanac.platform.search.analysis.stop_words import QUESTION_WORDS
from almanac.platform.search.analysis.words import terms_of

MAX_CHARACTERS = 300
_END = re.compile(
    r"""(?<=[.!?\u2026])(?P<closing>["'\u201d\u2019)\]]*) (?=["'\u201c\u2018(\[]*[^\W_a-z])|(?<=[\u3002\uff01\uff1f])"""
)
_ABBREVIATED = re.compile(r"(?:^|[\s:,;])\d\.$|\b(?:e\.g|i\.e|etc|vs|cf|approx|Dr|Mr|Mrs|Ms|Prof|St|No|Fig|[A-Z])\.$")
_MARKED = re.compile(r"^(?:[-*•>#]+|\d+[.)])\s+")


def sentences_of(text: str) -> Iterator[str]:
    """In their order, each on one line, without marks of lists; what is longer than 300 characters in parts."""
    for line in text.splitlines():
        yield from _sentences(_MARKED.sub("", " ".join(line.split())))


def terms_in(text: str) -> frozenset[str]:
    """The index terms of a sentence, but for words that questions are asked with."""
    return frozenset(term for term in terms_of(text) if term not in QUESTION_WORDS)


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        behind = end.end("closing") if end["closing"] else end.start()
        if behind > start and not _ABBREVIATED.search(line[start:behind][-8:]):
            yield from _parts(line[start:behind])
            start = end.end()
    yield from _parts(line[start:])


def _parts(line: str) -> Iterator[str]:
    while len(line) > MAX_CHARACTERS:
        cut = line.rfind(" ", MAX_CHARACTERS // 2, MAX_CHARACTERS)
        cut = cut if cut > 0 else MAX_CHARACTERS
        yield line[:cut].strip()
        line = line[cut:].strip()
    if any(map(str.isalnum, line)):
        yield line
