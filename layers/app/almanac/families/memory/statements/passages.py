"""Estimate with a small linear model whether later work may depend on a passage of a talk with an agent.

A passage is a short turn as a whole, or a sentence of a long one. The model reads 25 to 31 numbers for a passage: the
kinds of its sentences, its form and its place in the turn, names and numbers, what it adds to the words before it, and
how the other side replies. Its weights, in `passage_weights.py`, are fitted by `tools/sentence_model/fit_passages.py`
on talk in which the turns that matter are marked.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from math import exp, log1p

from msgspec import Struct

from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.classifier import Judgement, classify
from almanac.families.memory.statements.passage_weights import OF_AGENTS, OF_PERSONS
from almanac.families.memory.statements.sentences import is_question, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import NAME_LOOKS, words_of

_OPENING_TURNS = 3
"""Number of turns that open a session, with greetings and explanations."""
_WEIGHTS = {"tool": 0.2, "event": 0.5, "assistant": 0.8, "agent": 0.8}
_AGENT_WEIGHT = 0.8
"""Least weight of an agent's turn. Turns of programs weigh less."""
_IDLE: tuple[StatementKind, ...] = ("filler", "aside", "question")
_READ_CHARACTERS = 1000
_READ_SENTENCES = 4
_TURNS_BEFORE = 20
"""Number of turns before a passage in which its words are looked for."""
_LONG_OUTPUT = 200
_ACCEPTS = re.compile(
    r"^\W*(?:ok(?:ay)?|noted|understood|got it|will do|done|agreed|sure|right|yes"
    r"|(?!(?:nothing|anything|everything|something|during|morning|evening)\b)\w+ing"
    r"|i(?:'ll|'ve| set| put| add\w*| mov\w+| chang\w+)|moved|booked|added|set|changed|sent|cancell?ed|ordered"
    r"|replaced|removed|updated|ticked|merged|fixed|closed)\b",
    re.IGNORECASE,
)
"""Matches the start of a reply that agrees or reports an order as done."""
_OPEN_LIST = re.compile(r"\b(?:open|left|outstanding|remaining)\s*:", re.IGNORECASE)
"""Matches a list of open work: "Left: the labels"."""
_ENGLISH_SHARE = 0.08
_LANGUAGE_CHARACTERS = 4000
_ENGLISH = re.compile(r"\b(?:the|an?|to|is|are|of|and|in|it|for|you|we|i|that|this|on|with|not|be)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_OF_SELF = re.compile(r"\W*(?:i|i'm|i'll|i've|my)\b", re.IGNORECASE)
_BINDS = re.compile(
    r"\b(?:must|never|always|only|no|not|don't|dont|should|has to|have to|needs? to|from now on|instead|then|until|till"
    r"|by|before|every|each|max|min|at (?:most|least)|deadline|due)\b",
    re.IGNORECASE,
)
"""Matches words of rules and of terms."""
_FEELS = re.compile(
    r"\b(?:love|hate|like|sorry|thanks?|god|lol|haha\w{0,20}|hope|wish|happy|sad|tired|funny|nice|lovely|poor|imagine"
    r"|maybe|perhaps|think|feel|guess|wonder)\b|!+|[\U0001f600-\U0001f64f]|:\)",
    re.IGNORECASE,
)
"""Matches words and signs of feelings and doubts."""
_DATED = re.compile(
    r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?\b|\b\d{1,2}(?::\d\d|(?:st|nd|rd|th)\b)"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b|\b20\d\d-\d\d",
    re.IGNORECASE,
)
"""Matches days, months and times of day."""
_CODE = re.compile(r"`[^`]{1,200}`|\b\w{1,40}[._/]\w{1,40}\(|\b\w{1,40}\.\w{2,4}\b|\b[A-Z]{2,10}-\d")
"""Matches code, names of files and numbers of tickets."""
_ASIDES = re.compile(r"[(\u2013\u2014]|\s-\s")
"""Matches brackets and dashes, between which people put what they say in passing."""
_SUPPOSES = re.compile(r"\b(?:if|would|could|might|suppose|imagine|theory|what about)\b", re.IGNORECASE)
_OF_US = re.compile(r"\b(?:we|our|us|nobody|everyone|everybody|all)\b", re.IGNORECASE)
_MARKS = '"\u201c\u201d\u201e\u00ab\u00bb'
_QUOTED = re.compile(rf"[{_MARKS}]([^{_MARKS}]{{1,500}})[{_MARKS}]")
_MOST_MATCHES = 3
_MOST_COMMAS = 4
_MANY_WORDS = 45
_MOST_SENTENCES = 4


class SpokenTurn(Struct, frozen=True):
    """A turn as summaries and the model of passages read it.

    A `weight` below 1 makes it count for less, for example as output of a program. `stated` lists its statements that
    decide, forbid, request or date something. A statement may join several sentences that are understood only together.
    `position` is the index of the turn in its session, and None if it has no session."""

    source: str
    speaker: str
    text: str
    weight: float = 1.0
    by_person: bool = True
    stated: tuple[str, ...] = ()
    position: int | None = None

    @property
    def opens(self) -> bool:
        """Return whether the turn is one of the first of its session."""
        return self.position is not None and self.position < _OPENING_TURNS

    @property
    def is_agent(self) -> bool:
        """Return whether an agent speaks, rather than a person or a program."""
        return not self.by_person and self.weight >= _AGENT_WEIGHT

    @property
    def is_program(self) -> bool:
        """Return whether a program wrote the turn."""
        return not self.by_person and self.weight < _AGENT_WEIGHT


def spoken_turn(turn: Turn, stated: tuple[str, ...] = ()) -> SpokenTurn:
    """Return a turn as the model reads it. `stated` lists its binding statements, such as decisions."""
    name = turn.speaker or turn.role.capitalize()
    weight = _WEIGHTS.get(turn.role, 1.0)
    return SpokenTurn(turn.id, name, turn.content, weight, turn.role == "user", stated, turn.position)


def is_with_agent(turns: Sequence[SpokenTurn]) -> bool:
    """Return whether an agent takes part in the talk, and its language is English.

    English talk has enough of the most common English words."""
    if not any(one.is_agent for one in turns):
        return False
    joined = "\n".join(one.text for one in turns if not one.is_program)[:_LANGUAGE_CHARACTERS]
    return len(_ENGLISH.findall(joined)) >= _ENGLISH_SHARE * len(_WORD.findall(joined))


class PassageModel:
    """The model applied to the passages of one talk."""

    def __init__(self, turns: Sequence[SpokenTurn]) -> None:
        self._turns = turns
        self._words = [_words(turn.text[:_READ_CHARACTERS]) for turn in turns]
        self._places: dict[str, list[int]] = {}
        for place, words in enumerate(self._words):
            for word in words:
                self._places.setdefault(word, []).append(place)

    def share(self, turn: int, sentences: Sequence[str]) -> float:
        """Return the probability, from 0 to 1, that later work depends on these sentences of a turn."""
        weights = OF_PERSONS if self._turns[turn].by_person else OF_AGENTS
        features = self.features(turn, sentences)
        score = weights["always"] + sum(weights[name] * value for name, value in features.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, score))))

    def features(self, turn: int, sentences: Sequence[str]) -> dict[str, float]:
        """Return the model's features of these sentences of a turn, by name."""
        features_of = self._person_features if self._turns[turn].by_person else self._agent_features
        text = " ".join(sentences)
        return {name: float(value) for name, value in features_of(turn, text, _words(text), sentences).items()}

    def _person_features(
        self, turn: int, text: str, words: Mapping[str, float], sentences: Sequence[str]
    ) -> dict[str, float]:
        judgements = [classify(one) for one in sentences]
        stating = max(one.stating for one in judgements)
        useful = max(1 - one.share_of(_IDLE) for one in judgements)
        reply, reply_place = self._reply_to(turn)
        replies = _judge_start(reply)
        accepts = reply is not None and _is_acceptance(reply.text)
        words_before = self._words_before(turn)
        whole = self._turns[turn].text
        form = _form_of(text)
        return {
            "decision": _highest_share(judgements, "decision"),
            "convention": _highest_share(judgements, "convention"),
            "task": _highest_share(judgements, "task"),
            "length": log1p(len(words)),
            "names": _name_feature(words),
            **form.of_persons,
            "share of the turn": min(1.0, len(text) / max(1, len(whole))),
            "turn of lines": whole.count("\n") > 1,
            "accepted": accepts,
            "accepted and binds": accepts * form.of_persons["binds"],
            "not idle": useful,
            "accepted and not idle": accepts * useful,
            "stating and not accepted": stating * (not accepts),
            "agent replies": reply is not None and not reply.by_person,
            "reply asks": reply is not None and is_question(reply.text),
            "reply gives a cause": _highest_share(replies, "cause"),
            "reply is an aside": _highest_share(replies, "aside"),
            "repeated": _share_repeated(words, reply),
            "answers nobody": self._turn_before(turn) is None,
            "said earlier": self._share_in_turns(words, turn - _TURNS_BEFORE, turn - 1),
            "said later": self._share_in_turns(words, reply_place + 1, len(self._turns)),
            "new number": any(_has_digit(word) for word in words if word not in words_before),
            "opens": self._turns[turn].opens,
        }

    def _agent_features(
        self, turn: int, text: str, words: Mapping[str, float], sentences: Sequence[str]
    ) -> dict[str, float]:
        judgements = [classify(one) for one in sentences]
        reply, reply_place = self._reply_to(turn)
        programs = self._turns[turn + 1 : reply_place]
        words_before = self._words_before(turn)
        length = log1p(len(words))
        repeats = len(words.keys() & words_before.keys()) / max(1, len(words))
        return {
            "cause": _highest_share(judgements, "cause"),
            "done": _highest_share(judgements, "done"),
            "aside": _highest_share(judgements, "aside"),
            "length": length,
            "names": _name_feature(words),
            **_form_of(text).of_agents,
            "reply idle": min((one.share_of(("filler", "aside")) for one in _judge_start(reply)), default=0.0),
            "answers": max((one.share_of(("question",)) for one in _judge_start(self._turn_before(turn))), default=0.0),
            "repeats": repeats,
            "repeats at length": repeats * length,
            "repeated at length": _share_repeated(words, reply) * length,
            "sentences": min(_MOST_SENTENCES, len(sentences)) / _MOST_SENTENCES,
            "said earlier": self._share_in_turns(words, turn - _TURNS_BEFORE, turn - 1),
            "names said earlier": self._share_in_turns(_names_in(words), turn - _TURNS_BEFORE, turn),
            "said later": self._share_in_turns(words, reply_place + 1, len(self._turns)),
            "length before": min(log1p(len(words_before)), 3) / 3,
            "long output": any(len(one.text) > _LONG_OUTPUT for one in programs),
            "opens": self._turns[turn].opens,
        }

    def _reply_to(self, turn: int) -> tuple[SpokenTurn | None, int]:
        """Return the reply to a turn, and the index of the next turn that no program wrote.

        The reply is None if that turn is by the same speaker, or missing."""
        place = turn + 1
        while place < len(self._turns) and self._turns[place].is_program:
            place += 1
        if place == len(self._turns) or self._turns[place].speaker == self._turns[turn].speaker:
            return None, place
        return self._turns[place], place

    def _turn_before(self, turn: int) -> SpokenTurn | None:
        place = self._place_before(turn)
        return None if place is None else self._turns[place]

    def _words_before(self, turn: int) -> Mapping[str, float]:
        place = self._place_before(turn)
        return {} if place is None else self._words[place]

    def _place_before(self, turn: int) -> int | None:
        """Return the index of the last turn before that no program wrote; None if it has the same speaker."""
        place = turn - 1
        while place >= 0 and self._turns[place].is_program:
            place -= 1
        return place if place >= 0 and self._turns[place].speaker != self._turns[turn].speaker else None

    def _share_in_turns(self, words: Collection[str], first: int, end: int) -> float:
        """Return the share of the words that occur in the turns from index `first` up to, but without, `end`."""
        count = sum(any(first <= place < end for place in self._places.get(word, ())) for word in words)
        return count / max(1, len(words))


def _share_repeated(words: Mapping[str, float], reply: SpokenTurn | None) -> float:
    """Return the share of the words that the reply repeats."""
    repeated = words.keys() & _words(reply.text[:_READ_CHARACTERS]).keys() if reply else ()
    return len(repeated) / max(1, len(words))


def _is_acceptance(reply: str) -> bool:
    return _ACCEPTS.match(reply.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) is not None


class _Form(Struct, frozen=True):
    """The features of a passage that depend on its text alone, for persons and for agents."""

    of_persons: Mapping[str, float]
    of_agents: Mapping[str, float]


# A snapshot judges the same turns at each call.
@lru_cache(maxsize=2048)
def _form_of(text: str) -> _Form:
    date, binds, feels = (_share_of_matches(each, text) for each in (_DATED, _BINDS, _FEELS))
    of_self = float(_OF_SELF.match(text) is not None)
    return _Form(
        {
            "many words": float(len(text.split()) > _MANY_WORDS),
            "commas": min(_MOST_COMMAS, text.count(",")) / _MOST_COMMAS,
            "date": date,
            "binds": binds,
            "feels": feels,
            "asks": float("?" in text),
            "quoted": sum(map(len, _QUOTED.findall(text))) / max(1, len(text)),
            "of self": of_self,
            "asides": float(_ASIDES.search(text) is not None),
        },
        {
            "date": date,
            "code": _share_of_matches(_CODE, text),
            "binds": binds,
            "feels": feels,
            "supposes": _share_of_matches(_SUPPOSES, text),
            "of us": _share_of_matches(_OF_US, text),
            "of self": of_self,
            "open list": float(_OPEN_LIST.search(text) is not None),
        },
    )


def _highest_share(judgements: Sequence[Judgement], kind: StatementKind) -> float:
    return max((one.share_of((kind,)) for one in judgements), default=0.0)


def _share_of_matches(pattern: re.Pattern[str], text: str) -> float:
    """Return how often the pattern matches, from 0 for never to 1 for three times or more."""
    return sum(1 for _ in islice(pattern.finditer(text), _MOST_MATCHES)) / _MOST_MATCHES


def _name_feature(words: Mapping[str, float]) -> float:
    return min(3, len(_names_in(words))) / 3


def _names_in(words: Mapping[str, float]) -> list[str]:
    """Return the words that are names, numbers or identifiers."""
    return [word for word, looks in words.items() if looks >= NAME_LOOKS]


def _has_digit(word: str) -> bool:
    return any(map(str.isdecimal, word))


def _judge_start(turn: SpokenTurn | None) -> tuple[Judgement, ...]:
    return () if turn is None else _judgements(turn.text[:_READ_CHARACTERS])


@lru_cache(maxsize=1024)
def _judgements(text: str) -> tuple[Judgement, ...]:
    return tuple(classify(one) for one in sentences_of(text)[:_READ_SENTENCES])


@lru_cache(maxsize=2048)
def _words(text: str) -> Mapping[str, float]:
    return words_of(text)
