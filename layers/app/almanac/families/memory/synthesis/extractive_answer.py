"""Answer a question without a language model: quote and cite the sentences of the passages that answer it best.

A sentence scores by the words that it shares with the question, with more weight for rare words. The similarity of its
passage adds to the score, and so does a value of the kind that the question seeks: a time, a number, a name. A reply
inherits part of the score of the question right before it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import lru_cache
from itertools import groupby, islice
from math import log1p

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import judge
from almanac.families.memory.search.answer_support import Quotation
from almanac.families.memory.statements.claims import values_of
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentences import asks, every_sentence, on_one_line
from almanac.families.memory.synthesis.passages import FindLater, Passage, day_of, quotable
from almanac.platform.declaration.known_facts import FACT
from almanac.search.analysis.words import question_terms, terms_in

MAX_CHARACTERS = 2300
_OF_REPLACEMENTS = 500
"""Characters of an answer that are kept for what replaced the quoted sentences."""
_OF_OVERTAKING = 400
"""Characters that are kept for what probably overtakes them. It takes no room of anything else, because it may be
about something else."""
MAX_LISTED_CHARACTERS = 5000
MAX_SENTENCES = 8
_TERMS = 100
_MOST_READ = 60
"""Number of first sentences of each passage that are read."""
_LEAST_OF_BEST, _LEAST_OF_FIRST = 0.55, 0.3
"""Least shares of the best score for a sentence to be quoted, in general and from one of the first hits."""
_ANSWERS = 0.6
"""Share of the question's word weight at which a sentence probably answers the question by itself. If the best sentence
has less, the first hits are quoted in any case."""
_FIRST = 5
"""Number of first hits whose best sentence is quoted, because an answer may share few words with its question."""
_BEFORE_NEAR = 2
"""Number of best sentences that take their room before the passages that answer in other words."""
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

_ACKNOWLEDGES = re.compile(
    r"\W*(?:recorded|noted|saved|captured|got it|understood|written down|added (?:it|them|that)\b)", re.IGNORECASE
)
"""Matches the start of a reply that only takes note of what was said, though it may end in a question."""
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
    """A sentence of a passage. `place` is its index there, `word_share` its share of the question's word weight."""

    passage: Passage
    place: int
    text: str
    terms: frozenset[str]
    score: float = 0.0
    word_share: float = 0.0

    @property
    def sort_key(self) -> tuple[int, str, int, str, int]:
        return (self.passage.at, self.passage.session, self.passage.position, self.passage.id, self.place)


class Extract(Struct, frozen=True):
    """An answer of quotations. `text` has one sentence a line, each ending in the ids of its sources.

    `quoted` maps the id of each passage to the text quoted from it."""

    text: str
    cited: tuple[str, ...]
    quoted: Mapping[str, str]
    sentences: tuple[Quotation, ...] = ()


def extract(
    question: str,
    passages: Sequence[Passage],
    zone: tzinfo,
    newer: FindLater = lambda _passage, _sentence: (),
    overtaking: FindLater = lambda _passage, _sentence: (),
    near: Sequence[Passage] = (),
    extra: Sequence[Passage] = (),
) -> Extract:
    """Quote at most eight sentences of the passages, the best, in the order of time; nothing if there are no passages.

    A sentence is quoted with its replacements, which `newer` returns, and with what probably overtakes it, which
    `overtaking` returns. `near` passages are quoted whole after the two best sentences have taken their room. All these
    share 2300 characters, of which 500 are kept for replacements and 400 for what overtakes. `extra` passages are
    quoted whole as well, up to 5000 characters in all."""
    questions = {passage.id: _question_before(passage, passages) for passage in passages}
    best = [sentence for sentence in _best(question, passages) if not _is_in(sentence, near)]
    lines: dict[str, tuple[Sentence, str]] = {}
    room, room_of_newer = MAX_CHARACTERS - _OF_REPLACEMENTS - _OF_OVERTAKING, _OF_REPLACEMENTS
    quotations = (*best[:_BEFORE_NEAR], *map(_whole, near), *best[_BEFORE_NEAR:])
    for sentence in quotations:
        room -= _add(lines, sentence, questions, zone, room)
        for replacement in map(_whole, newer(sentence.passage, sentence.text)):
            room_of_newer -= _add(lines, replacement, questions, zone, room + room_of_newer)
            room, room_of_newer = room + min(0, room_of_newer), max(0, room_of_newer)
    room += room_of_newer + _OF_OVERTAKING
    for sentence in quotations:
        for later in map(_whole, overtaking(sentence.passage, sentence.text)):
            room -= _add(lines, later, questions, zone, room)
    room += MAX_LISTED_CHARACTERS - MAX_CHARACTERS
    quoted_ids = {sentence.passage.id for sentence, _ in lines.values()}
    for whole in (_whole(passage) for passage in extra if passage.id not in quoted_ids):
        line = _line(whole, None, zone)
        if len(line) < room:
            lines[line] = (whole, line)
            room -= len(line) + 1
    return _extract(sorted(lines.values(), key=lambda entry: entry[0].sort_key), questions)


def _add(
    lines: dict[str, tuple[Sentence, str]],
    quoted: Sentence,
    questions: Mapping[str, Passage | None],
    zone: tzinfo,
    room: int,
) -> int:
    """Add the line of a quotation if there is room, in place of the lines of its parts; return how much it takes."""
    line = _line(quoted, questions.get(quoted.passage.id), zone)
    said = [entry for entry in lines.values() if entry[0].passage.id == quoted.passage.id]
    if any(_contains(sentence.text, quoted.text) for sentence, _ in said):
        return 0
    parts = [part for sentence, part in said if _contains(quoted.text, sentence.text)]
    size = len(line) + 1 - sum(len(part) + 1 for part in parts)
    if size > room:
        return 0
    for part in parts:
        del lines[part]
    lines[line] = (quoted, line)
    return size


def _contains(whole: str, part: str) -> bool:
    """Return whether a quotation already says the words of another one from the same turn."""
    return quotable(part) in quotable(whole)


def _is_in(sentence: Sentence, near: Sequence[Passage]) -> bool:
    """Return whether one of the `near` passages, which are quoted whole, already contains this sentence."""
    return any(passage.id == sentence.passage.id and _contains(passage.text, sentence.text) for passage in near)


def quote_whole(passages: Sequence[Passage], zone: tzinfo) -> Extract:
    """Quote the first passages whole, in the order of time, in up to 5000 characters.

    The passages of a day come below the day."""
    lines: list[tuple[Sentence, str]] = []
    days = set[str]()
    room = MAX_LISTED_CHARACTERS
    for sentence in map(_whole, passages):
        passage = sentence.passage
        day = day_of(passage.at, zone)
        line = f'- {passage.attribution}: "{quotable(sentence.text)}" [{passage.id}]'
        size = len(line) + 1 + (0 if day in days else len(day) + 2)
        if size <= room:
            days.add(day)
            lines.append((sentence, line))
            room -= size
    lines.sort(key=lambda entry: entry[0].sort_key)
    by_day = groupby(lines, key=lambda entry: day_of(entry[0].passage.at, zone))
    text = "\n".join("\n".join([f"{day}:", *(line for _, line in of_day)]) for day, of_day in by_day)
    return replace(_extract(lines, {}), text=text)


def _whole(passage: Passage) -> Sentence:
    return Sentence(passage=passage, place=0, text=on_one_line(passage.text), terms=terms_in(passage.text))


def _extract(lines: Sequence[tuple[Sentence, str]], questions: Mapping[str, Passage | None]) -> Extract:
    replied_to = [questions.get(sentence.passage.id) for sentence, _ in lines]
    cited = (
        source
        for (sentence, _), question in zip(lines, replied_to, strict=True)
        for source in _sources(sentence, question)
    )
    quoted: dict[str, str] = {}
    for sentence, _ in lines:
        quoted[sentence.passage.id] = f"{quoted.get(sentence.passage.id, '')}\n{sentence.text}".strip()
    sentences = tuple(
        Quotation(
            sentence.text,
            question.text if question is not None and sentence.place == 0 else "",
            f"{sentence.passage.speaker} {sentence.passage.text}",
        )
        for (sentence, _), question in zip(lines, replied_to, strict=True)
    )
    return Extract("\n".join(line for _, line in lines), tuple(dict.fromkeys(cited)), quoted, sentences)


def _best(question: str, passages: Sequence[Passage]) -> Iterator[Sentence]:
    """Yield the best sentences, without repetitions of better ones.

    A sentence that addresses a model is yielded only if there is no other sentence."""
    ranked = sorted(_score_sentences(question, passages), key=lambda sentence: (-sentence.score, sentence.sort_key))
    leading = _best_of_first_hits(ranked, passages)
    if ranked and ranked[0].word_share >= _ANSWERS:
        leading = [sentence for sentence in leading if sentence.score >= _LEAST_OF_FIRST * ranked[0].score]
    doubtful: list[Sentence] = []
    chosen: list[Sentence] = []
    for sentence in (*ranked[:1], *leading, *ranked[1:]):
        if len(chosen) == MAX_SENTENCES:
            break
        if sentence not in leading and sentence.score < _LEAST_OF_BEST * ranked[0].score:
            break
        if any(_repeats(sentence, other) for other in (*chosen, *doubtful)):
            continue
        (doubtful if _addresses_model(sentence.text) else chosen).append(sentence)
    yield from chosen or doubtful[:1]


@lru_cache(512)
def _addresses_model(text: str) -> bool:
    """Return whether a sentence addresses a model. Results are cached, as many questions quote the same sentences."""
    return bool(judge(text).findings)


def _best_of_first_hits(ranked: Sequence[Sentence], passages: Sequence[Passage]) -> list[Sentence]:
    """Return the best sentence of each of the first five turns and memories, in the order of the search.

    The output of programs is left out, and so is filler unless a user said it."""
    best: dict[str, Sentence] = {}
    for sentence in ranked:
        best.setdefault(sentence.passage.id, sentence)
    first = [
        passage.id for passage in passages if passage.kind in _SPOKEN and passage.role != "tool" and passage.id in best
    ]
    return [
        best[passage_id]
        for passage_id in first[:_FIRST]
        if best[passage_id].passage.role == "user" or not _is_filler(best[passage_id].text)
    ]


def _is_filler(text: str) -> bool:
    judgement = classify(text)
    return judgement.kind == "filler" and judgement.share >= _LEAST_SHARE


def _score_sentences(question: str, passages: Sequence[Passage]) -> Iterator[Sentence]:
    sentences = [each for passage in passages for each in _sentences(passage)]
    names = frozenset(term for passage in passages for term in terms_in(passage.speaker))
    # Questions and polite words answer nothing, so they are read only if there is nothing else.
    readable = [
        sentence for sentence in sentences if not asks(sentence.text) and sentence.terms - names - _POLITE
    ] or sentences
    weights = _weights(question_terms(question, _TERMS), sentences)
    answer_forms = [answer for form, answer in _ASKS_FOR if form.search(question)]
    # A passage such as "?" has no sentence.
    shares = {passage.id: 0.0 for passage in passages}
    introduced: dict[tuple[str, int], float] = {}
    for sentence in sentences:
        share = _word_share(sentence, weights, names)
        shares[sentence.passage.id] = max(shares[sentence.passage.id], share)
        if asks(sentence.text) or sentence.text.endswith(":"):
            introduced[sentence.passage.id, sentence.place + 1] = share
    for sentence in readable:
        before = _question_before(sentence.passage, passages) if sentence.place == 0 else None
        inherited = shares[before.id] if before else introduced.get((sentence.passage.id, sentence.place), 0.0)
        word_share = max(_word_share(sentence, weights, names), _INHERITED * inherited)
        has_value = any(answer.search(sentence.text) for answer in answer_forms)
        alike = sentence.passage.similarity * (1.0 if sentence.passage.kind in _SPOKEN else _OF_LONG_TEXTS)
        score = word_share + _SIMILARITY * alike + (_ASKED_FOR if has_value else 0.0)
        yield replace(
            sentence, word_share=word_share, score=score * (_OF_TOOLS if sentence.passage.role == "tool" else 1.0)
        )


def _sentences(passage: Passage) -> Iterator[Sentence]:
    for place, text in enumerate(islice(every_sentence(passage.text), _MOST_READ)):
        yield Sentence(passage=passage, place=place, text=text, terms=terms_in(text))


def _weights(terms: Iterable[str], sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the weights of the question's terms. They add up to 1, and a term of every sentence weighs least."""
    counts = Counter(term for sentence in sentences for term in sentence.terms | terms_in(sentence.passage.speaker))
    weights = {term: log1p(len(sentences) / (counts[term] + 0.5)) for term in terms}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _word_share(sentence: Sentence, weights: Mapping[str, float], names: frozenset[str]) -> float:
    """Return the share of the question's word weight that a sentence has.

    A name in the question counts fully if it is the speaker's and half if the sentence mentions it, because a question
    about a person is more often about the speaker."""
    speaker = terms_in(sentence.passage.speaker)
    words = sum(weight for term, weight in weights.items() if term in sentence.terms and term not in names)
    mentioned = sum(weight for term, weight in weights.items() if term in sentence.terms and term in names - speaker)
    return words + sum(weights.get(term, 0.0) for term in speaker) + _SPOKEN_OF * mentioned


def _repeats(sentence: Sentence, other: Sentence) -> bool:
    """Return whether two sentences share most words of the shorter one, and have the same days and numbers.

    Two facts never repeat each other: "Ann speaks German" differs from "Ann speaks English" by its object only."""
    if sentence.passage.kind == other.passage.kind == FACT:
        return sentence.text == other.text
    least = min(len(sentence.terms), len(other.terms))
    alike = least > 0 and len(sentence.terms & other.terms) >= _SAME * least
    return alike and (sentence.text == other.text or _values(sentence.text) == _values(other.text))


@lru_cache(1024)
def _values(text: str) -> dict[str, str]:
    return dict(values_of(text))


def _question_before(passage: Passage, passages: Sequence[Passage]) -> Passage | None:
    if _ACKNOWLEDGES.match(passage.text):
        return None
    return next(
        (
            other
            for other in passages
            if other.is_question and passage.follows(other) and other.author != passage.author
        ),
        None,
    )


def _sources(sentence: Sentence, question: Passage | None) -> tuple[str, ...]:
    """Return the ids to cite. A short reply also cites its question, because "yes" alone says nothing."""
    is_short_reply = question is not None and sentence.place == 0 and len(sentence.text) <= _SHORT
    return (sentence.passage.id, question.id) if question and is_short_reply else (sentence.passage.id,)


def _line(sentence: Sentence, replied_to: Passage | None, zone: tzinfo) -> str:
    passage, sources = sentence.passage, _sources(sentence, replied_to)
    question = ""
    if replied_to is not None and len(sources) > 1:
        last = [*every_sentence(replied_to.text)][-1:]
        question = f', asked "{quotable(last[0])}",' if last else ""
    quotation = f'On {day_of(passage.at, zone)}{question} {passage.attribution}: "{quotable(sentence.text)}"'
    return f"{quotation} [{', '.join(sources)}]"
