"""Choose the turns that answer a broad question.

A turn scores if it states something of the kind that the question asks for. Of a question with a topic it also scores
by naming the topic, by its place in the search for the question, and by its nearness to the question, because people
decide in words that name no topic: "the oak ones then". Talk stays with its topic for a while, so a turn inherits part
of the topic of the turns around it. A short turn is quoted whole, because a sentence alone often lacks its subject.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from math import log1p
from statistics import fmean, pstdev

from msgspec import Struct

from almanac.content import judge
from almanac.families.memory.candidates.corrections import corrects, is_in_doubt
from almanac.families.memory.candidates.current_statements import (
    CurrentStatement,
    Talk,
)
from almanac.families.memory.candidates.later_words import Changes
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.snapshot.ranking import remarks_in
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import cut, is_question, join_sentences, on_one_line, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import NAME_LOOKS, words_of
from almanac.families.memory.synthesis.passages import Passage, passage_of_turn
from almanac.families.memory.synthesis.plans import Plan, PlanKind
from almanac.search.analysis.words import terms_in
from almanac.search.questions.port import Hit

MOST_LINES = 45
MOST_LINES_ABOUT = 25
"""Most lines for a question that may ask for one thing. They come behind the sentences that answer it."""
_CHARACTERS = 240
"""Most characters of a turn that is quoted whole. Longer turns are reduced to their statements."""
_MOST_CHARACTERS = 400
_SENTENCES = 12

_BINDING: tuple[StatementKind, ...] = ("constraint", "convention", "preference")
_FIRST, _SECOND, _OTHER = 1.0, 0.6, 0.25
_WORTHS: dict[PlanKind, dict[StatementKind, float]] = {
    "tasks": {"task": _FIRST, "deadline": _SECOND},
    "deadlines": {"deadline": _FIRST},
    "preferences": {"preference": _FIRST, "convention": _SECOND, "constraint": _SECOND},
    "rules": {"constraint": _FIRST, "convention": _FIRST, "preference": _SECOND},
    "errors": {"cause": _FIRST, "error": _FIRST},
    "decisions": {"decision": _FIRST, "constraint": _SECOND, "convention": _SECOND, "deadline": _SECOND},
}
"""The worth of each kind of statement for a question that asks for some kinds."""
_WORTHS_OF_ALL: dict[StatementKind, float] = {
    "decision": 1.0,
    "constraint": 1.0,
    "convention": 0.9,
    "deadline": 0.9,
    "preference": 0.9,
    "task": 0.8,
    "cause": 0.7,
    "done": 0.6,
    "fact": 0.6,
    "error": 0.5,
}
"""The worth of each kind for a question that asks for all kinds."""
_REMARK, _OTHER_REMARK = 0.45, 0.2
"""The worth of a sentence without a clear kind on which later work may depend. It is lower for tasks and deadlines, and
for any other kind without a topic: few remarks are of that kind, and many together hide those that are."""
_LIKELY = 0.5
"""Factor for the probability that a sentence has one of the kinds in question, where no kind is clear."""
_OF_ALL_KINDS = 0.3
"""Further factor for this probability if the question asks for all kinds."""
_AROUND = 0.9
"""Factor for the topic of the turns around a turn."""
_PER_TURN = 0.75
"""Factor for each turn between a turn and the one that names the topic."""
_TURNS_BEFORE, _TURNS_AFTER = 6, 3
_NEAR = 0.15
"""The worth of a standard deviation by which a turn is nearer to the question than the other hits are."""
_MOST_DEVIATIONS = 3.0
_CHANGED = 0.4
_BY_WORDS = 1.1
"""The worth of a sentence that uses a word for causes, such as "because" or "culprit"."""
_DATED_WORTH, _DUE_WORTH = 0.5, 1.0
_LEAST = 0.3
_SAME = 0.85
"""Share of a turn's words that an earlier line must have to make the turn a repetition."""
_SAYS_LITTLE = 2
"""Most words of a statement that is quoted together with the reply that explains it."""

_CAUSE = re.compile(
    r"\b(?:cause[ds]?|reasons?|because|due to|turn(?:s|ed) out|culprit|the (?:problem|bug|error|mistake|fault))\b",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[a-z]{2,6})?"
_DATED = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}}\.? (?:of )?{_MONTH}\b|\b{_MONTH}\.? \d{{1,2}}\b|\b\d{{4}}-\d\d-\d\d\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:tomorrow|tonight)\b"
    r"|\bend of (?:the|next|this) (?:week|month)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:by|until|till|before|due|deadline|latest|no later|not earlier|(?:has|have|need|needs) to be|needs?)\b",
    re.IGNORECASE,
)
_CALLED = (
    r"says?|said|wants?|wanted|asks?|asked|wrote|writes|needs?|thinks?|confirm(?:s|ed)|answered|starts|likes?|loves?"
    r"|hates?|can't|cannot|can|does|works|is|was|has|calls?|called|owns|will|knows?|takes|reads?"
)
_PERSON = re.compile(
    r"\b(?:ask|tell|told|call|ring|rang|with|from|for|by|say|says|and|to|mail|email|of|is|write|wrote)\s+"
    r"(?P<behind>[A-Z][^\W\d_A-Z]+)\b"
    rf"|\b(?P<before>[A-Z][^\W\d_A-Z]+)(?:'s\b|,? (?:{_CALLED})\b)"
)
_MONTHS_AND_DAYS = re.compile(rf"(?:{_DAY.pattern})|{_MONTH}", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_OF_A_SPEAKER, _OF_A_NAME, _OF_A_NAMED_PERSON = 3, 2, 6
_MOST_NAMES = 12


class _SpokenTurn(Struct, frozen=True):
    """A turn with its sentences. `stated` has its statements that hold, `ended` its statements that no longer hold.

    `remarks` are sentences without a clear kind on which later work may depend."""

    turn: Turn
    sentences: tuple[str, ...]
    terms: frozenset[str]
    stated: Sequence[CurrentStatement] = ()
    ended: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @property
    def text(self) -> str:
        """Return the text to quote, without sentences that no longer hold. A long turn is reduced to its statements."""
        for statement in self.stated:
            # "b" says nothing without the option that it takes.
            if statement.text.endswith(")") and statement.text not in self.turn.content and len(self.sentences) == 1:
                return statement.text
        current = [sentence for sentence in self.sentences if not any(sentence in ended for ended in self.ended)]
        if not self.ended and len(self.turn.content) <= _CHARACTERS:
            return on_one_line(self.turn.content)
        worth_quoting = [*(statement.text for statement in self.stated), *self.remarks]
        chosen = [
            sentence for sentence in current if any(sentence in each or each in sentence for each in worth_quoting)
        ]
        return cut(join_sentences(chosen or current[:1]), _MOST_CHARACTERS)


def choose_lines(plan: Plan, talk: Talk, turns: Sequence[Turn], hits: Sequence[Hit]) -> list[Passage]:
    """Return passages of the turns that answer, best first, without text that addresses a model.

    `talk` has the statements of `turns`. `hits` are those of a search for the question among the turns."""
    if plan.kind == "replaced":
        turns_to_quote = _replacement_pairs(talk, turns)
    elif plan.kind == "people":
        turns_to_quote = _turns_on_people(plan.topic, talk, turns)
    else:
        turns_to_quote = _best(
            plan,
            _turns_to_quote(plan, talk, turns),
            hits,
            {talk.statements[newer].turn for newer in talk.replaced.values()},
        )
    lines: dict[str, Passage] = {}
    for turn, text in turns_to_quote:
        if text and turn.id not in lines and not judge(text).findings:
            lines[turn.id] = passage_of_turn(turn, text)
        if len(lines) == (MOST_LINES_ABOUT if plan.kind == "about" else MOST_LINES):
            break
    return [*lines.values()]


def covers(plan: Plan, lines: Sequence[Passage]) -> bool:
    """Return whether some line is about the topic of the question. Any line will do if the question names no topic."""
    return bool(lines) and (not plan.topic or any(plan.topic & terms_in(passage.text) for passage in lines))


def _turns_to_quote(plan: Plan, talk: Talk, turns: Sequence[Turn]) -> list[_SpokenTurn]:
    """Return the turns of people and agents, without statements that no longer hold.

    Replaced statements stay if the question is about a past span of time, or if the replacement is in doubt."""
    current: dict[str, list[CurrentStatement]] = {}
    gone: dict[str, list[str]] = {}
    for place, statement in enumerate(talk.statements):
        if place in talk.outdated and plan.until is None and not _is_doubtful(talk, place):
            gone.setdefault(statement.turn, []).append(statement.text)
        else:
            current.setdefault(statement.turn, []).append(statement)
    remarks: dict[str, list[str]] = {}
    for remark in remarks_in(turns, talk):
        remarks.setdefault(remark.turn, []).append(remark.text)
    return [
        _SpokenTurn(
            each, *_read(each.content), current.get(each.id, ()), gone.get(each.id, ()), remarks.get(each.id, ())
        )
        for each in turns
        if each.role in SPEAKING_ROLES and not is_recalled(each) and (each.id in current or each.id not in gone)
    ]


def _is_doubtful(talk: Talk, place: int) -> bool:
    """Return whether it is doubtful that a statement was replaced: it shares only one word with the later statement,
    and the later statement does not reject that word."""
    return place in talk.replaced and is_in_doubt(
        talk.statements[talk.replaced[place]].text, talk.statements[place].text
    )


@lru_cache(1024)
def _read(content: str) -> tuple[tuple[str, ...], frozenset[str]]:
    return tuple(sentences_of(content)[:_SENTENCES]), terms_in(content)


def _best(
    plan: Plan, spoken: Sequence[_SpokenTurn], hits: Sequence[Hit], replacing: Collection[str]
) -> Iterator[tuple[Turn, str]]:
    """Yield turns with the text to quote, without repetitions. The best come first, and the latest among equals."""
    relevance = _relevance(plan.topic, spoken, hits) if plan.topic else {}
    asks_for_a_kind = plan.kind in ("tasks", "deadlines") or (plan.kind in _WORTHS and not plan.topic)
    remark_worth = _OTHER_REMARK if asks_for_a_kind else _REMARK
    scored: list[tuple[float, int, int]] = []
    for place, spoken_turn in enumerate(spoken):
        turn = spoken_turn.turn
        if not plan.includes(turn.at) or (is_question(turn.content) and not spoken_turn.stated):
            continue
        worth = _worth(plan.kind, spoken_turn, remark_worth)
        if plan.kind == "changes" and (
            turn.id in replacing or (worth > _LIKELY and any(map(corrects, spoken_turn.sentences)))
        ):
            worth += _CHANGED
        score = worth + relevance.get(turn.id, 0.0)
        if score >= _LEAST:
            scored.append((-score, -turn.at, place))
    quoted_words: list[frozenset[str]] = []
    for *_, place in sorted(scored):
        chosen = spoken[place]
        if not _is_new(chosen.text, quoted_words):
            continue
        yield chosen.turn, chosen.text
        reply = _reply(spoken, place) if len(quoted_words[-1]) <= _SAYS_LITTLE and chosen.turn.role == "user" else None
        if reply is not None and _is_new(reply.text, quoted_words):
            yield reply.turn, reply.text


def _worth(plan_kind: PlanKind, spoken_turn: _SpokenTurn, remark_worth: float) -> float:
    """Return the worth of a turn by the kinds of its sentences. `remark_worth` is that of a remark."""
    worths = _WORTHS.get(plan_kind, _WORTHS_OF_ALL)
    first: list[StatementKind] = [kind for kind, worth in worths.items() if worth == _FIRST or plan_kind not in _WORTHS]
    likely = _LIKELY if plan_kind in _WORTHS else _LIKELY * _OF_ALL_KINDS
    worth = max((worths.get(each.kind, _OTHER) for each in spoken_turn.stated), default=0.0)
    for text in spoken_turn.sentences:
        if is_question(text):
            continue
        share = likely * classify(text).share_of(first)
        worth = max(worth, share + (remark_worth if text in spoken_turn.remarks else 0.0))
        if plan_kind == "errors" and _CAUSE.search(text):
            worth = max(worth, _BY_WORDS)
        if plan_kind == "deadlines":
            worth = max(worth, _worth_of_date(text))
    return worth


def _worth_of_date(text: str) -> float:
    is_dated = _DATED.search(text) is not None
    if _DUE.search(text) and (is_dated or _DAY.search(text)):
        return _DUE_WORTH
    return _DATED_WORTH if is_dated else 0.0


def _relevance(topic: frozenset[str], spoken: Sequence[_SpokenTurn], hits: Sequence[Hit]) -> dict[str, float]:
    """Return how much each turn is about the topic, by the ids of turns.

    A turn is wholly about a speaker whom the question names if it is theirs or mentions them. Such a name alone does
    not make other turns of the search relevant, because a search for a name finds what is said to that person."""
    speakers = topic & {term for each in spoken for term in terms_in(each.turn.speaker or "")}
    relevance = {
        each.turn.id: float(not speakers.isdisjoint(each.terms | terms_in(each.turn.speaker or ""))) for each in spoken
    }
    if topic == speakers:
        return relevance
    weights = _weights(topic - speakers, spoken)
    named = {each.turn.id: sum(weights[term] for term in weights.keys() & each.terms) for each in spoken}
    for each in spoken:
        relevance[each.turn.id] += named[each.turn.id]
    sessions: dict[str | None, list[str]] = {}
    for each in spoken:
        sessions.setdefault(each.turn.session, []).append(each.turn.id)
    for ids in sessions.values():
        for place, turn_id in enumerate(ids):
            before = reversed(ids[max(0, place - _TURNS_BEFORE) : place])
            after = ids[place + 1 : place + 1 + _TURNS_AFTER]
            around = (named[other] * _PER_TURN**far for side in (before, after) for far, other in enumerate(side, 1))
            relevance[turn_id] += _AROUND * max(around, default=0.0)
    cosines = [hit.whole for hit in hits]
    usual, deviation = (fmean(cosines), pstdev(cosines)) if cosines else (0.0, 0.0)
    best = max((hit.score for hit in hits), default=0.0)
    for hit in hits:
        if hit.id in relevance:
            deviations = (hit.whole - usual) / deviation if deviation else 0.0
            relevance[hit.id] += _NEAR * max(0.0, min(_MOST_DEVIATIONS, deviations))
            relevance[hit.id] += max(0.0, hit.score / best) if best > 0 else 0.0
    return relevance


def _weights(topic: frozenset[str], spoken: Sequence[_SpokenTurn]) -> dict[str, float]:
    """Return the weight of each term of the topic. Terms of few turns weigh most, and the weights add up to 1."""
    counts = Counter(term for spoken_turn in spoken for term in topic & spoken_turn.terms)
    weights = {term: log1p(len(spoken) / (counts[term] + 0.5)) for term in topic}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _is_new(text: str, quoted_words: list[frozenset[str]]) -> bool:
    """Return whether a text is new: no earlier line has nearly all its words and all its names and numbers.

    The words of a new text are added to `quoted_words`."""
    looks = words_of(text)
    words, names = frozenset(looks), {word for word, worth in looks.items() if worth >= NAME_LOOKS}
    if not words or any(names <= each and len(words & each) >= _SAME * len(words) for each in quoted_words):
        return False
    quoted_words.append(words)
    return True


def _reply(spoken: Sequence[_SpokenTurn], place: int) -> _SpokenTurn | None:
    """Return the agent's next turn in the session if it is short, asks nothing and says more than "ok"."""
    quoted = spoken[place].turn
    for next_turn in spoken[place + 1 : place + 3]:
        if next_turn.turn.session == quoted.session and next_turn.turn.role != "user":
            content = next_turn.turn.content
            says_more = len(words_of(content)) > _SAYS_LITTLE
            return next_turn if says_more and len(content) <= _CHARACTERS and not is_question(content) else None
    return None


def _replacement_pairs(talk: Talk, turns: Sequence[Turn]) -> Iterator[tuple[Turn, str]]:
    """Yield turns that replaced others, each followed by the turn that it replaced.

    Replacements that name the replaced thing come first, ordered by the replaced turn, latest first. Then come choices
    that name nothing of the old choice, and last the other decisions that correct something."""
    by_id = {turn.id: turn for turn in turns}
    replaced = sorted(talk.replaced.items(), key=lambda pair: -talk.statements[pair[0]].at)
    pairs = [(by_id[talk.statements[new].turn], by_id[talk.statements[old].turn]) for old, new in replaced]
    changes = Changes(turns, talk)
    for replaced_turn in reversed(turns):
        if replaced_turn.role == "user" and any(
            classify(text).stating >= _LIKELY for text in _read(replaced_turn.content)[0]
        ):
            pairs += [(new, replaced_turn) for new in changes.next_of(replaced_turn.id) if new.role == "user"]
    correcting = (
        statement for statement in reversed(talk.current) if statement.kind == "decision" and corrects(statement.text)
    )
    for turn in (*(turn for pair in pairs for turn in pair), *(by_id[statement.turn] for statement in correcting)):
        yield turn, cut(on_one_line(turn.content), _MOST_CHARACTERS)


def _turns_on_people(topic: frozenset[str], talk: Talk, turns: Sequence[Turn]) -> Iterator[tuple[Turn, str]]:
    """Yield turns on people: by a speaker, or with a name. Those that state most come first.

    People that the question names come first, then speakers, then the names that are mentioned most often."""
    plan = Plan("any", topic)
    spoken = _turns_to_quote(plan, talk, turns)
    worths = {each.turn.id: _worth(plan.kind, each, _REMARK) + 0.01 * (each.turn.role == "user") for each in spoken}

    def best(some: Iterable[_SpokenTurn], most: int) -> Iterator[tuple[Turn, str]]:
        for each in sorted(some, key=lambda one: (-worths[one.turn.id], -one.turn.at))[:most]:
            yield each.turn, each.text

    def are_by(term: str) -> Iterable[_SpokenTurn]:
        return (each for each in spoken if term in terms_in(each.turn.speaker or "") and not is_question(each.text))

    for term in sorted(topic):
        yield from best(are_by(term), _OF_A_NAMED_PERSON)
        yield from best((each for each in spoken if term in each.terms), _OF_A_NAMED_PERSON)
    speakers = Counter(each.turn.speaker for each in spoken if each.turn.speaker and each.turn.role == "user")
    for speaker, _ in speakers.most_common(_MOST_NAMES):
        own = [each for each in spoken if each.turn.speaker == speaker and not is_question(each.text)]
        stating = [each for each in own if any(statement.kind in _BINDING for statement in each.stated)]
        yield from best(stating or own, _OF_A_SPEAKER)
    speaker_names = {name.casefold() for name in speakers}
    names = Counter({name: count for name, count in _mentions(turns).items() if name.casefold() not in speaker_names})
    for name, _ in names.most_common(_MOST_NAMES):
        yield from best((each for each in spoken if terms_in(name) <= each.terms), _OF_A_NAME)


def _mentions(turns: Sequence[Turn]) -> Counter[str]:
    """Return how often each person's name is mentioned, in any case of its letters.

    A word is no name if someone who writes capitals also writes it without one."""
    texts = [turn.content for turn in turns if turn.role in SPEAKING_ROLES and not is_recalled(turn)]
    with_capitals = [text for text in texts if text[:1].isupper()]
    common = {word for text in with_capitals for word in text.split() if word.islower()}
    names = dict.fromkeys(name for text in texts for name in _names_in(text) if name.casefold() not in common)
    counts = Counter(word for text in texts for word in set(_WORD.findall(text.casefold())))
    return Counter({name: counts[name.casefold()] for name in names})


def _names_in(text: str) -> Iterable[str]:
    names = (match["behind"] or match["before"] for match in _PERSON.finditer(text))
    return dict.fromkeys(name for name in names if not _MONTHS_AND_DAYS.fullmatch(name))
