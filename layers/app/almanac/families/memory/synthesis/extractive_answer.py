"""Answer a question without a language model: quote and cite the sentences of the passages that answer it best.

A sentence scores by the words of the question that it has, with more weight for rare words. The similarity of its
passage adds to the score, and so does a value of the kind that the question seeks: a time, a number, a name. A reply
inherits part of the score of the question right before it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import lru_cache
from itertools import islice
from math import log1p

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import judge
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentences import every_sentence
from almanac.families.memory.synthesis.claims import values_of
from almanac.families.memory.synthesis.passages import Passage, day_of, quotable
from almanac.search.analysis.words import question_terms, terms_in

MAX_CHARACTERS = 1500
MAX_LISTED_CHARACTERS = 5000
MAX_SENTENCES = 8
_TERMS = 100
_MOST_READ = 60
"""Most sentences of one passage that are read."""
_LEAST_OF_BEST, _LEAST_OF_FIRST = 0.55, 0.3
"""Least shares of the best score for a sentence to be quoted, in general and from one of the first hits."""
_ANSWERS = 0.6
"""Share of the question's word weight at which a sentence probably answers it by itself. Below it, the first hits are
quoted in any case."""
_FIRST = 5
"""Number of first hits whose best sentence is quoted, because an answer may share few words with its question."""
_BEFORE_NEAR = 2
"""Number of best sentences that take their room before the passages that are near in other words."""
_OF_LONG_TEXTS = 0.3
"""Share of the similarity of a summary, a fact or a document that counts for each of its sentences."""
_OF_TOOLS = 0.5
"""Factor for sentences in the output of a program, which reports and seldom answers."""
_SAME = 0.75
_SHORT = 40
_SIMILARITY = 0.6
_ASKED_FOR = 0.15
_INHERITED = 0.8
_SPOKEN_OF = 0.5
_LEAST_SHARE = 0.5
_SPOKEN = ("turn", "pinned", "semantic")
_POLITE = frozenset(
    terms_in(
        "thanks thank thx wow woah great awesome amazing cool nice good lovely sure okay ok yeah yep hey hi hello"
        " bye luck congrats congratulations glad sounds absolutely definitely totally oh ah haha lol really too agree"
    )
)
"""Polite words, which answer nothing."""

_TIME = re.compile(
    r"\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|yesterday|today|tomorrow|tonight|ago|last|next|week|weekend|month|year)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|once|twice)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\w,;] )[A-Z]\w|[a-z][A-Z_/.]\w")
_ASKS_FOR = (
    (re.compile(r"\b(?:when|what (?:day|date|time|year|month)|how long|since)\b", re.IGNORECASE), _TIME),
    (re.compile(r"\bhow (?:many|much|often|old|big|large|high|far)\b", re.IGNORECASE), _NUMBER),
    (re.compile(r"\b(?:who|whom|whose|where|which|name|called)\b", re.IGNORECASE), _NAME),
)


class Sentence(Struct, frozen=True, kw_only=True):
    """A sentence of a passage. `place` is its index there, `matched` its share of the question's word weight."""

    passage: Passage
    place: int
    text: str
    terms: frozenset[str]
    score: float = 0.0
    matched: float = 0.0

    @property
    def when(self) -> tuple[int, str, int, str, int]:
        return (self.passage.at, self.passage.session, self.passage.position, self.passage.id, self.place)


class Extract(Struct, frozen=True):
    """An answer of quotations. `text` has one sentence a line, each ending in the ids of its sources.

    `quoted` maps the id of each passage to the text quoted from it. `sentences` pairs each sentence with the question
    that it replies to, or ""."""

    text: str
    cited: tuple[str, ...]
    quoted: Mapping[str, str]
    sentences: tuple[tuple[str, str], ...] = ()


def extract(
    question: str,
    passages: Sequence[Passage],
    zone: tzinfo,
    newer: Callable[[Passage], Sequence[Passage]] = lambda _: (),
    near: Sequence[Passage] = (),
    behind: Sequence[Passage] = (),
) -> Extract:
    """Quote the best sentences of the passages, at most eight, in the order of time; nothing if there are no passages.

    `newer` returns the passages that replaced a passage, and they are quoted with it. `near` passages are quoted whole
    after the two best sentences have taken their room. All these have 1500 characters together. `behind` passages are
    quoted whole as well, with 3500 characters more."""
    asked = {one.id: _question_before(one, passages) for one in passages}
    best = [one for one in _best(question, passages) if not _is_in(one, near)]
    taken: dict[str, tuple[Sentence, str]] = {}
    room = MAX_CHARACTERS
    for sentence in (*best[:_BEFORE_NEAR], *map(_whole, near), *best[_BEFORE_NEAR:]):
        for one in (sentence, *map(_whole, newer(sentence.passage))):
            line = _line(one, asked.get(one.passage.id), zone)
            if line not in taken and len(line) < room:
                taken[line] = (one, line)
                room -= len(line) + 1
    room += MAX_LISTED_CHARACTERS - MAX_CHARACTERS
    known = {one.passage.id for one, _ in taken.values()}
    for one in (_whole(passage) for passage in behind if passage.id not in known):
        line = _line(one, None, zone)
        if len(line) < room:
            taken[line] = (one, line)
            room -= len(line) + 1
    return _extract(sorted(taken.values(), key=lambda one: one[0].when), asked)


def _is_in(sentence: Sentence, near: Sequence[Passage]) -> bool:
    """Return whether one of the `near` passages, which are quoted whole, already contains this sentence."""
    return any(one.id == sentence.passage.id and quotable(sentence.text) in quotable(one.text) for one in near)


def listed(passages: Sequence[Passage], zone: tzinfo) -> Extract:
    """Quote the first passages whole, in the order of time, in up to 5000 characters."""
    taken: list[tuple[Sentence, str]] = []
    room = MAX_LISTED_CHARACTERS
    for sentence in map(_whole, passages):
        line = _line(sentence, None, zone)
        if len(line) < room:
            taken.append((sentence, line))
            room -= len(line) + 1
    return _extract(sorted(taken, key=lambda one: one[0].when), {})


def _whole(passage: Passage) -> Sentence:
    return Sentence(passage=passage, place=0, text=passage.text, terms=terms_in(passage.text))


def _extract(taken: Sequence[tuple[Sentence, str]], asked: Mapping[str, Passage | None]) -> Extract:
    before = [asked.get(sentence.passage.id) for sentence, _ in taken]
    cited = (one for (sentence, _), question in zip(taken, before, strict=True) for one in _sources(sentence, question))
    quoted: dict[str, str] = {}
    for sentence, _ in taken:
        quoted[sentence.passage.id] = f"{quoted.get(sentence.passage.id, '')}\n{sentence.text}".strip()
    sentences = tuple(
        (sentence.text, question.text if question is not None and sentence.place == 0 else "")
        for (sentence, _), question in zip(taken, before, strict=True)
    )
    return Extract("\n".join(line for _, line in taken), tuple(dict.fromkeys(cited)), quoted, sentences)


def _best(question: str, passages: Sequence[Passage]) -> Iterator[Sentence]:
    """Yield the best sentences, without those that repeat a better one.

    A sentence that addresses a model is yielded only if there is no other sentence."""
    ranked = sorted(_scored(question, passages), key=lambda one: (-one.score, one.when))
    leading = _leading(ranked, passages)
    if ranked and ranked[0].matched >= _ANSWERS:
        leading = [one for one in leading if one.score >= _LEAST_OF_FIRST * ranked[0].score]
    doubtful: list[Sentence] = []
    taken: list[Sentence] = []
    for sentence in (*ranked[:1], *leading, *ranked[1:]):
        if len(taken) == MAX_SENTENCES:
            break
        if sentence not in leading and sentence.score < _LEAST_OF_BEST * ranked[0].score:
            break
        if any(_repeats(sentence, other) for other in (*taken, *doubtful)):
            continue
        (doubtful if _addresses_model(sentence.text) else taken).append(sentence)
    yield from taken or doubtful[:1]


@lru_cache(512)
def _addresses_model(text: str) -> bool:
    """Return whether a sentence addresses a model. Results are cached, as many questions quote the same sentences."""
    return bool(judge(text).findings)


def _leading(ranked: Sequence[Sentence], passages: Sequence[Passage]) -> list[Sentence]:
    """Return the best sentence of each of the first five turns and memories, in the order of the search.

    Filler is left out unless a user said it, and so is the output of programs."""
    best: dict[str, Sentence] = {}
    for one in ranked:
        best.setdefault(one.passage.id, one)
    first = [one.id for one in passages if one.kind in _SPOKEN and one.role != "tool" and one.id in best]
    return [best[one] for one in first[:_FIRST] if best[one].passage.role == "user" or not _fills(best[one].text)]


def _fills(text: str) -> bool:
    judgement = classify(text)
    return judgement.kind == "filler" and judgement.share >= _LEAST_SHARE


def _scored(question: str, passages: Sequence[Passage]) -> Iterator[Sentence]:
    sentences = [each for passage in passages for each in _sentences(passage)]
    names = frozenset(term for passage in passages for term in terms_in(passage.speaker))
    # Questions and polite words answer nothing, so they are read only if there is nothing else.
    read = [one for one in sentences if not _asks(one.text) and one.terms - names - _POLITE] or sentences
    weights = _weights(question_terms(question, _TERMS), sentences)
    wanted = [answer for asks, answer in _ASKS_FOR if asks.search(question)]
    of_questions = {one.passage.id: 0.0 for one in sentences}
    for one in sentences:
        of_questions[one.passage.id] = max(of_questions[one.passage.id], _matched(one, weights, names))
    for one in read:
        before = _question_before(one.passage, passages) if one.place == 0 else None
        matched = max(_matched(one, weights, names), _INHERITED * of_questions[before.id] if before else 0.0)
        asked_for = any(answer.search(one.text) for answer in wanted)
        alike = one.passage.similarity * (1.0 if one.passage.kind in _SPOKEN else _OF_LONG_TEXTS)
        score = matched + _SIMILARITY * alike + (_ASKED_FOR if asked_for else 0.0)
        yield replace(one, matched=matched, score=score * (_OF_TOOLS if one.passage.role == "tool" else 1.0))


def _sentences(passage: Passage) -> Iterator[Sentence]:
    for place, text in enumerate(islice(every_sentence(passage.text), _MOST_READ)):
        yield Sentence(passage=passage, place=place, text=text, terms=terms_in(text))


def _weights(terms: Iterable[str], sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the weights of the question's terms. They add up to 1, and a term of every sentence weighs least."""
    having = Counter(term for one in sentences for term in one.terms | terms_in(one.passage.speaker))
    weights = {term: log1p(len(sentences) / (having[term] + 0.5)) for term in terms}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _matched(sentence: Sentence, weights: Mapping[str, float], names: frozenset[str]) -> float:
    """Return the share of the question's word weight that a sentence has.

    A name in the question counts fully if it is the speaker's and half if the sentence mentions it, because a question
    about a person is more often about the speaker."""
    speaker = terms_in(sentence.passage.speaker)
    words = sum(weight for term, weight in weights.items() if term in sentence.terms and term not in names)
    spoken_of = sum(weight for term, weight in weights.items() if term in sentence.terms and term in names - speaker)
    return words + sum(weights.get(term, 0.0) for term in speaker) + _SPOKEN_OF * spoken_of


def _asks(text: str) -> bool:
    return text.endswith(("?", "\uff1f"))


def _repeats(sentence: Sentence, other: Sentence) -> bool:
    """Return whether two sentences share most words of the shorter one, and have the same days and numbers."""
    least = min(len(sentence.terms), len(other.terms))
    alike = least > 0 and len(sentence.terms & other.terms) >= _SAME * least
    return alike and (sentence.text == other.text or _values(sentence.text) == _values(other.text))


@lru_cache(1024)
def _values(text: str) -> dict[str, str]:
    return dict(values_of(text))


def _question_before(passage: Passage, passages: Sequence[Passage]) -> Passage | None:
    return next((one for one in passages if one.asks and passage.follows(one) and one.author != passage.author), None)


def _sources(sentence: Sentence, asked: Passage | None) -> tuple[str, ...]:
    """Return the ids to cite. A short reply also cites its question, because "yes" alone says nothing."""
    beside = asked is not None and sentence.place == 0 and len(sentence.text) <= _SHORT
    return (sentence.passage.id, asked.id) if asked and beside else (sentence.passage.id,)


def _line(sentence: Sentence, asked: Passage | None, zone: tzinfo) -> str:
    passage, sources = sentence.passage, _sources(sentence, asked)
    question = ""
    if asked is not None and len(sources) > 1:
        last = [*every_sentence(asked.text)][-1:]
        question = f', asked "{quotable(last[0])}",' if last else ""
    said = f'On {day_of(passage.at, zone)}{question} {passage.said}: "{quotable(sentence.text)}"'
    return f"{said} [{', '.join(sources)}]"
