"""Choose the turns that answer a question about people, such as "who is involved?"."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from almanac.families.memory.candidates.current_statements import Talk
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import is_question
from almanac.families.memory.synthesis.plans import Plan
from almanac.families.memory.synthesis.spoken_turns import (
    BINDING,
    DAY,
    MONTH,
    REMARK,
    SpokenTurn,
    spoken_turns,
    worth_of,
)
from almanac.search.analysis.words import terms_in

_CALLED = (
    r"says?|said|wants?|wanted|asks?|asked|wrote|writes|needs?|thinks?|confirm(?:s|ed)|answered|starts|likes?|loves?"
    r"|hates?|can't|cannot|can|does|works|is|was|has|calls?|called|owns|will|knows?|takes|reads?"
)
_PERSON = re.compile(
    r"\b(?:ask|tell|told|call|ring|rang|with|from|for|by|say|says|and|to|mail|email|of|is|write|wrote)\s+"
    r"(?P<behind>[A-Z][^\W\d_A-Z]+)\b"
    rf"|\b(?P<before>[A-Z][^\W\d_A-Z]+)(?:'s\b|,? (?:{_CALLED})\b)"
)
_MONTHS_AND_DAYS = re.compile(rf"(?:{DAY.pattern})|{MONTH}", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_OF_A_SPEAKER, _OF_A_NAME, _OF_A_NAMED_PERSON = 3, 2, 6
_MOST_NAMES = 12


def turns_on_people(topic: frozenset[str], talk: Talk, turns: Sequence[Turn]) -> Iterator[tuple[Turn, str]]:
    """Yield turns on people: by a speaker, or with a name. Those that state most come first.

    People that the question names come first, then speakers, then the names that are mentioned most often."""
    plan = Plan("any", topic)
    spoken = spoken_turns(plan, talk, turns)
    worths = {each.turn.id: worth_of(plan.kind, each, REMARK) + 0.01 * (each.turn.role == "user") for each in spoken}

    def best(some: Iterable[SpokenTurn], most: int) -> Iterator[tuple[Turn, str]]:
        for each in sorted(some, key=lambda one: (-worths[one.turn.id], -one.turn.at))[:most]:
            yield each.turn, each.text

    def are_by(term: str) -> Iterable[SpokenTurn]:
        return (each for each in spoken if term in terms_in(each.turn.speaker or "") and not is_question(each.text))

    for term in sorted(topic):
        yield from best(are_by(term), _OF_A_NAMED_PERSON)
        yield from best((each for each in spoken if term in each.terms), _OF_A_NAMED_PERSON)
    speakers = Counter(each.turn.speaker for each in spoken if each.turn.speaker and each.turn.role == "user")
    for speaker, _ in speakers.most_common(_MOST_NAMES):
        own = [each for each in spoken if each.turn.speaker == speaker and not is_question(each.text)]
        stating = [each for each in own if any(statement.kind in BINDING for statement in each.stated)]
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
