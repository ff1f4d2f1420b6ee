"""Find turns that later turns take back, as "no, twice a day" takes back "deploy hourly".

`find_replacing_turns` compares only the turns that a search found. They are about the same question, so a later
decision that corrects something and shares a rare word with an earlier turn most likely replaces it. `Changes` looks
through the whole latest talk. It also finds new choices that name nothing of the old one: "the early boat doesn't run",
then "the bus it is".
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from math import log1p

from msgspec import Struct
from msgspec.structs import replace as copied

from almanac.families.memory.candidates.corrections import REFUSES, corrects, own_words
from almanac.families.memory.candidates.current_statements import SENTENCE_CHARACTERS, CurrentStatement, Talk
from almanac.families.memory.candidates.overtaken import (
    BINDING,
    CHARACTERS,
    LaterTurns,
    is_list,
    numbers_in,
    rejected_words,
    reports_change,
    terms_of,
    words_in,
)
from almanac.families.memory.candidates.topics import topic_terms
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentences import is_question, sentences_of

_SENTENCES = 12
_LEAST_SHARE = 0.4
_MOST_COMMON = 0.35
"""Largest share of the turns that may contain a word if turns are compared by it."""
_LEAST_SHARED = 0.2
"""Least share of the shorter turn's words that both turns must have."""
_REPLACEABLE = BINDING | {"task", "fact"}
_AROUND = 4
_AROUND_MS = 30 * 60 * 1000
_ELLIPTIC = 3
"""Most words of a choice that names its subject only together with the turns before it."""
_LEAST_NAMED_AROUND = 0.25
"""Least share of an old turn's words, by weight, that a turn before a choice must name."""
_LEAST_TERMS = 2
"""Least number of words of a turn that is compared with changes, unless it is known to state something."""
_MANY_TERMS = 20
"""Number of words from which on a turn names many things."""
_TERSE = 6
"""Most words of a change whose confirmation is quoted with it."""
_REPLY_CHARACTERS = 400
_LIKELY, _SURE = 2.0, 9.0
"""Least likelihood that a change replaces a turn, and the one of a change that certainly does."""
_OF_TURN, _OF_SENTENCE, _OF_CONFIRMED, _OF_RAREST = 0.9, 1.05, 0.8, 0.9
_OF_REJECTED, _OF_NUMBER, _OF_DAY = 1.5, 0.75, 0.75
"""Weights of what a change and an earlier turn have in common, from a fit to replacements in labelled talk: the shares
of the turn's words and of its best sentence's, what the confirmation adds, the rarest shared word, a rejected word,
other numbers, and a day of the week in both."""
_MUCH_CONFIRMED = 1.5
"""Largest weight of shared words of a confirmation that counts, in words that only one turn has."""
_OF_BEST = 0.7
_MOST_LATER = 3
_LEAST_PROBABLE = 0.1
"""Least probability that a turn overtakes another one for both to be quoted. Right ones are often this improbable."""
_REJECTS = re.compile(
    r"\b\w+n['\u2019]t\b|\bsold out\b|\bproblems?\b|\binstead\b|\belse\b|\balready\b"
    r"|\b(?:[a-z]{2,}er|more [a-z]+) than\b",
    re.IGNORECASE,
)
_ECHOES = re.compile(
    r"^\W*(?:ok|okay|noted|done|sure|great|got it|will do|understood|switching|changed|moved)\b", re.IGNORECASE
)
"""Matches an agent's answer that repeats a choice. "Ok, green instead" rejects nothing by itself."""
_COUNTED = re.compile(
    r"(?<![\w.,:/-])(\d[\d.,]*) (?!(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|times?|o'clock"
    r"|january|february|march|april|june|july|august|september|october|november|december|euros?|pounds?|dollars?"
    r"|cents?|percent|grams?|kilos?|lit(?:er|re)s?|met(?:er|re)s?|degrees?|bytes?|from|with|than|then|until|into|over"
    r"|more|less|each|instead|after|before|because|please|when|that|this|they|there|only)\b)([^\W\d_]{4,})\b",
    re.IGNORECASE,
)
"""Matches a number and what it counts. Measures are left out, because a talk has many different durations and sums."""
_DAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"^\W*(?:(?:ah+|oh+|hm+|ok|okay|ugh|argh|right|yes|yeah|true|well|hey|so|lol|sorry|and|but)\W+)*"
    r"(?:no\b|nope\b|nah\b|not\b|wait\b|actually\b|scratch that"
    r"|change of plan|forget (?:the|that|about)\b)",
    re.IGNORECASE,
)


_ANEW_AT_ONCE = re.compile(r"^\W*(?:\w+\W+){0,2}(?:wait|actually|scratch|rather)\b", re.IGNORECASE)


def find_replacing_turns(turns: Sequence[Turn]) -> dict[str, Turn]:
    """Map the id of each turn that a later one takes back to the latest turn that does."""
    spoken_turns = [one for one in turns if one.role in SPEAKING_ROLES]
    terms = {one.id: topic_terms(one.content[:CHARACTERS]) for one in spoken_turns}
    counts = Counter(term for own in terms.values() for term in own)
    rare = {term for term, count in counts.items() if count <= max(3, _MOST_COMMON * len(spoken_turns))}
    later = sorted(
        (one for one in spoken_turns if _is_correcting_decision(one.content[:CHARACTERS])), key=lambda one: -one.at
    )
    # A list names much that it leaves as it is.
    terms_of_later = {one.id: _terms_of_change(one) if is_list(one) else terms[one.id] for one in later}
    replacing: dict[str, Turn] = {}
    for one in spoken_turns:
        for other in later:
            if other.at <= one.at:
                break
            shared = len(terms[one.id] & terms_of_later[other.id] & rare)
            # A turn that names many things, such as a table, is replaced only by a turn that names many of them.
            words = len(terms[one.id])
            if shared and shared >= _LEAST_SHARED * (
                min(words, len(terms_of_later[other.id])) if words <= _MANY_TERMS else words
            ):
                replacing[one.id] = other
                break
    return replacing


class _Change(Struct, frozen=True):
    """A turn that may change an earlier decision, with its words and the words of the agent's reply that confirms it.

    `rejected` has the words that it rejects, and `numbers` its numbers. `confirmation` is the reply, if there is one.
    `around` lists the turns right before a short choice. Each entry has the turn's id, its words, whether it or the
    next turn rejects something, and whether the next turn does."""

    turn: Turn
    terms: frozenset[str]
    confirmation: Turn | None
    confirmed: frozenset[str]
    rejected: frozenset[str]
    numbers: frozenset[str]
    has_day: bool
    around: tuple[tuple[str, frozenset[str], bool, bool], ...]


class Changes:
    """The turns of a talk that may change earlier decisions.

    `turns` are in the order of time, and `talk` has their statements."""

    def __init__(self, turns: Sequence[Turn], talk: Talk) -> None:
        self._turns = {one.id: one for one in turns if one.role in SPEAKING_ROLES}
        self._statements: dict[str, list[CurrentStatement]] = {}
        self._stating = {one.turn for one in talk.statements if one.kind in _REPLACEABLE}
        for one in talk.statements:
            if one.kind in BINDING:
                self._statements.setdefault(one.turn, []).append(one)
        self._replaced: dict[str, list[str]] = {}
        for old, new in talk.replaced.items():
            self._replaced.setdefault(talk.statements[old].turn, []).append(talk.statements[new].turn)
        counts = Counter(term for one in self._turns.values() for term in _terms(one))
        self._weights = {term: log1p(len(self._turns) / count) for term, count in counts.items()}
        self._rarest = log1p(len(self._turns))
        self._read = turns, talk
        self._next: dict[str, Turn] = {}
        self._changes = self._list_changes()

    def after(self, turn: str, sentence: str = "") -> list[Turn]:
        """Return the turns that replaced a turn, directly or one after another, in the order of time.

        There are up to three, each with the reply that confirms it, if it is too short to name its subject. Of a turn
        that names many things, such as a table, only what replaced this `sentence` of it counts."""
        unread = self._quoted(turn, sentence)
        replacing: dict[str, _Change] = {}
        while unread and len(replacing) < _MOST_LATER:
            for one in self._replacements_of(unread.pop(0)):
                if one.turn.id not in replacing and len(replacing) < _MOST_LATER:
                    replacing[one.turn.id] = one
                    unread.append(one.turn)
        quoted = {each.id: each for one in replacing.values() for each in self._with_confirmation(one)}
        return sorted(quoted.values(), key=lambda one: one.at)

    def overtaking(self, turn: str, sentence: str = "") -> list[Turn]:
        """Return the turn that most probably overtakes a turn, by the model of pairs, with a reply that confirms it.

        There is none if none is probable. Of a turn that names many things only this `sentence` counts."""
        old = [one for one in self._quoted(turn, sentence) if not is_question(one.content)]
        found = [later for one in old if (later := self._later.overtaking(one, _LEAST_PROBABLE)) is not None]
        changes = [_change_of(one, (), self._next.get(one.id)) for one in found]
        return [each for one in changes for each in self._with_confirmation(one)]

    def next_of(self, turn: str) -> list[Turn]:
        """Return the turns that replaced a turn directly, in the order of time."""
        by_statement = [self._turns[one] for one in self._replaced.get(turn, ()) if one in self._turns]
        by_words = [one.turn for one in self._replacements_of(self._turns[turn])] if turn in self._turns else []
        return sorted({one.id: one for one in (*by_statement, *by_words)}.values(), key=lambda one: one.at)

    def text_of(self, turn: Turn) -> str:
        """Return the text of a turn, or only its statements if it is long or accepts a proposal of another turn."""
        texts = {own_words(one.text): one.text for one in self._statements.get(turn.id, ())}
        statements = " ".join(
            text for own, text in texts.items() if not any(own != each and own in each for each in texts)
        )
        accepts = statements.endswith(")") and statements not in turn.content
        return statements if statements and (accepts or len(turn.content) > SENTENCE_CHARACTERS) else turn.content

    def _quoted(self, turn: str, sentence: str) -> list[Turn]:
        """Return the turn as it is compared: of one that names many things, such as a table, only the sentence."""
        old = self._turns.get(turn)
        if old is None:
            return []
        is_part = len(_terms(old)) > _MANY_TERMS and terms_of(sentence)
        return [copied(old, content=sentence) if is_part else old]

    def _with_confirmation(self, change: _Change) -> Iterator[Turn]:
        yield change.turn
        if change.confirmation is not None and len(change.terms) <= _TERSE and change.confirmed - change.terms:
            yield change.confirmation

    def _list_changes(self) -> list[_Change]:
        changes: list[_Change] = []
        sessions: dict[str | None, list[Turn]] = {}
        for one in self._turns.values():
            sessions.setdefault(one.session, []).append(one)
        for turns in sessions.values():
            self._next |= {one.id: following for one, following in pairwise(turns)}
            for place, one in enumerate(turns):
                if one.id in self._statements or _takes_back(one) or reports_change(one):
                    around = [each for each in turns[max(0, place - _AROUND) : place] if one.at - each.at <= _AROUND_MS]
                    changes.append(_change_of(one, around, turns[place + 1] if place + 1 < len(turns) else None))
        return sorted(changes, key=lambda one: one.turn.at)

    @cached_property
    def _later(self) -> LaterTurns:
        turns, talk = self._read
        return LaterTurns(turns, talk.statements)

    def _replacements_of(self, old: Turn) -> list[_Change]:
        """Return the change that names the subject of `old`, and the short choice that follows words naming it."""
        later = [one for one in self._changes if one.turn.at > old.at]
        terms = _terms(old)
        weight = self._weight(terms)
        choice_shares = [self._choice_share(one, old.id, terms, weight) for one in later]
        best = (self._likeliest_change(old, later), _latest_of_best(later, choice_shares))
        return [one for one in best if one is not None]

    def _likeliest_change(self, old: Turn, later: Sequence[_Change]) -> _Change | None:
        """Return the change that most likely replaces `old` by what both name; None if none is likely."""
        parts = self._parts(old)
        if not parts:
            return None
        counts = _counts_by_noun(old.content[:CHARACTERS])
        likelihoods = [
            _SURE if _gives_other_count(one.turn, counts) else self._likelihood(old, parts, one) for one in later
        ]
        best = max(likelihoods, default=0.0)
        if best < _LIKELY:
            return None
        return next(one for one, each in zip(later[::-1], likelihoods[::-1], strict=True) if each == best)

    def _parts(self, old: Turn) -> list[frozenset[str]]:
        """Return the words of the sentences of a turn, of which a change may concern one; [] if it says too little."""
        terms = _terms(old)
        if is_question(old.content) or (len(terms) < _LEAST_TERMS and old.id not in self._stating):
            return []
        sentences = map(terms_of, sentences_of(old.content[:CHARACTERS])[:_SENTENCES])
        return [one for one in sentences if len(one) > 1] or [one for one in (terms,) if one]

    def _likelihood(self, old: Turn, parts: Sequence[frozenset[str]], change: _Change) -> float:
        """Return a score of how likely a change replaces a turn: from the words, days and numbers of both.

        Words count more the fewer turns have them. Most counts a word of the turn that the change rejects."""
        terms = _terms(old)
        named, confirmed = change.terms & terms, (change.confirmed & terms) - change.terms
        if not named and not confirmed:
            return 0.0
        both = change.terms | change.confirmed
        numbers = numbers_in(old.content)
        return (
            _OF_TURN * self._weight(named) / self._weight(terms)
            + _OF_CONFIRMED * min(1.0, self._weight(confirmed) / (_MUCH_CONFIRMED * self._rarest))
            + _OF_SENTENCE * max(self._weight(one & both) / self._weight(one) for one in parts)
            + _OF_RAREST * max(self._weights[term] for term in named | confirmed) / self._rarest
            + _OF_REJECTED * _rejects_part_of(change, named, old)
            + _OF_NUMBER * (bool(numbers and change.numbers) and not change.numbers <= numbers)
            + _OF_DAY * (change.has_day and _has_day(old.content))
        )

    def _choice_share(self, change: _Change, old: str, terms: frozenset[str], weight: float) -> float:
        """Return the share of an old turn's words that the turns before a short choice name; 0 if they reject nothing.

        A rejection in the old turn itself does not count, because it is about something before that turn. A turn that
        names very many things, such as a table, names none of them as its subject."""
        for turn, around, rejected, rejected_next in change.around:
            shared = self._weight(terms & around) if len(around) <= _MANY_TERMS else 0.0
            if shared and shared >= _LEAST_NAMED_AROUND * weight:
                return shared / weight if (rejected_next if turn == old else rejected) else 0.0
        return 0.0

    def _weight(self, terms: Iterable[str]) -> float:
        """Return the total weight of words. A word weighs more if fewer turns have it."""
        return sum(self._weights.get(term, 0.0) for term in terms)


def _change_of(turn: Turn, before: Sequence[Turn], following: Turn | None) -> _Change:
    terms, with_turn = _terms_of_change(turn), [*before, turn]
    takes_back = REFUSES.match(turn.content) is not None
    elliptic = "?" not in turn.content and (
        len(_terms(turn)) <= _ELLIPTIC or _TAKES_BACK.match(turn.content) is not None
    )
    rejected = [_is_rejection(one) for one in with_turn]
    # A "no" behind a question answers that question, and takes back nothing before it; "wait, no" does.
    answers = bool(before) and is_question(before[-1].content) and _ANEW_AT_ONCE.match(turn.content) is None
    first_taken_back = len(before) - 1 if answers else 0
    around = (
        (one.id, _terms(one), taken_back or any(rejected[place : place + 2]), taken_back or rejected[place + 1])
        for place, one in enumerate(before)
        if not is_list(one)
        for taken_back in (takes_back and place >= first_taken_back,)
    )
    confirmation = following if following is not None and _may_confirm(following, turn) else None
    sentences = sentences_of(turn.content[:CHARACTERS])[:_SENTENCES]
    refused = (terms_of(one) for one, following in pairwise(sentences) if REFUSES.match(following))
    return _Change(
        turn,
        terms,
        confirmation,
        _terms(confirmation) if confirmation is not None else frozenset(),
        rejected_words(turn.content).union(*refused),
        numbers_in(turn.content),
        _has_day(turn.content),
        tuple(around) if elliptic else (),
    )


def _rejects_part_of(change: _Change, named: frozenset[str], old: Turn) -> bool:
    """Return whether a change rejects a word of the old turn, or corrects a number that it names with its word.

    For example "isar out", and "who set width 90? make it 110". `named` has the words that both turns have."""
    if not change.rejected.isdisjoint(_terms(old) | words_in(old.content)):
        return True
    return any(" " in term for term in named) and corrects(change.turn.content)


def _may_confirm(following: Turn, turn: Turn) -> bool:
    """Return whether the next turn is a short reply of an agent to a person that asks nothing back."""
    return (
        turn.role == "user"
        and following.role != "user"
        and len(following.content) < _REPLY_CHARACTERS
        and not is_question(following.content)
    )


@lru_cache(1024)
def _has_day(text: str) -> bool:
    return _DAY.search(text[:CHARACTERS]) is not None


def _latest_of_best(changes: Sequence[_Change], shares: Sequence[float]) -> _Change | None:
    least = _OF_BEST * max(shares, default=0.0)
    return next((one for one, share in zip(changes[::-1], shares[::-1], strict=True) if share >= least > 0), None)


def _takes_back(turn: Turn) -> bool:
    """Return whether a person takes back earlier words, perhaps of the same turn, as in "who set 17? no. 16"."""
    if turn.role != "user" or is_question(turn.content):
        return False
    if _TAKES_BACK.match(turn.content):
        return classify(turn.content).kind != "question"
    # A refusal at the very end does not count: "Lasagne then? no, wait" does not name the new choice.
    return any(REFUSES.match(one) for one in sentences_of(turn.content[:CHARACTERS])[1:_SENTENCES][:-1])


def _is_rejection(turn: Turn) -> bool:
    if turn.role != "user" and _ECHOES.match(turn.content):
        return False
    return corrects(turn.content) or _REJECTS.search(turn.content) is not None


def _terms_of_change(turn: Turn) -> frozenset[str]:
    """Return the words that name the topic of a change; for a list or a report only those of the parts that correct."""
    if not is_list(turn):
        return _terms(turn)
    sentences = sentences_of(turn.content[:CHARACTERS])
    changing = [one for one in sentences if corrects(one) or _REJECTS.search(one)]
    return frozenset(term for one in changing for term in terms_of(one))


def _terms(turn: Turn) -> frozenset[str]:
    return terms_of(turn.content[:CHARACTERS])


def _gives_other_count(turn: Turn, earlier: Mapping[str, str]) -> bool:
    """Return whether a person changes the number of the same things: "make it 120 boxes" after "200 boxes"."""
    if turn.role != "user" or not earlier or turn.content.rstrip().endswith("?"):
        return False
    now = _counts_by_noun(turn.content[:CHARACTERS])
    return any(now[noun] != earlier[noun] for noun in now.keys() & earlier.keys())


@lru_cache(1024)
def _counts_by_noun(text: str) -> Mapping[str, str]:
    """Map each noun that a text counts to its number: "boxes" to 200 in "200 boxes"."""
    return {match[2].lower().removesuffix("s"): match[1].rstrip(".,") for match in _COUNTED.finditer(text)}


@lru_cache(1024)
def _is_correcting_decision(text: str) -> bool:
    """Return whether a turn corrects an earlier one and makes its own decision or rule."""
    return corrects(text) and not text.rstrip().endswith("?") and is_binding(text)


def is_binding(text: str) -> bool:
    """Return whether a text decides, forbids, prefers or dates something."""
    judgements = map(classify, sentences_of(text[:CHARACTERS])[:_SENTENCES])
    return any(one.kind in BINDING and one.share >= _LEAST_SHARE for one in judgements)
