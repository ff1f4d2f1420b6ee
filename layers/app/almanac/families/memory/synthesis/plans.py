"""Plans for broad questions: what was decided, what is open, what happened on a day, which rules there are.

No sentence answers such a question by itself, and few share a word with it. It is answered by all statements of the
kinds that it asks for: those that hold now, or those of the days that it names.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import clean, judge
from almanac.families.memory.candidates.current_statements import CurrentStatement, Talk, corrects, ranked
from almanac.families.memory.candidates.later_words import Changes
from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.synthesis.passages import NAME_CHARACTERS, Passage, passage_of, quotable
from almanac.kernel.instants import instant_at, milliseconds
from almanac.search.analysis.words import terms_in

MOST_LINES = 20
_DAYS: str = "monday tuesday wednesday thursday friday saturday sunday"
_DAY = re.compile(rf"\b({'|'.join(_DAYS.split())})\b", re.IGNORECASE)
_DATED = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december) \d",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|after|from)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"(?<![.!?:] )(?<!^)\b[A-Z][a-zé]+(?=,? (?:says?|said|wants?|wanted|asks?|asked|wrote|writes|needs?|thinks?"
    r"|confirm(?:s|ed)|answered|starts|likes?|loves?|hates?|can't|cannot|does|works|is|was|has|calls?|called)\b)"
    r"|\b(?:Mr|Mrs|Ms|Dr|Prof)\.? [A-Z]\w+"
)

What = Literal["people", "replaced", "tasks", "deadlines", "preferences", "rules", "errors", "decisions", "any"]
_BINDING: tuple[StatementKind, ...] = ("constraint", "convention", "preference")
_KINDS: dict[What, tuple[tuple[StatementKind, ...], ...]] = {
    "tasks": (("task",), ("deadline",)),
    "deadlines": (("deadline",),),
    "preferences": (("preference",), ("convention", "constraint")),
    "rules": (("constraint", "convention"), ("preference",)),
    "errors": (("cause", "error"),),
    "decisions": (("decision",), ("constraint", "convention", "deadline")),
}
"""Kinds of statements for each question: those told first, and those that fill the remaining room."""
_FORMS: tuple[tuple[What, tuple[str, ...]], ...] = (
    (
        "people",
        (
            r"\bwho (?:all )?works\b",
            r"\bwho (?:all )?(?:is|are|was|were) (?:all )?(?:involved|part of|on the team|who)\b",
            r"\b(?:which|what) (?:people|persons|teammates)\b",
            r"\bpeople (?:are )?involved\b",
        ),
    ),
    (
        "replaced",
        (
            r"\b(?:decisions?|choices?|plans?|what)\b.*\b(?:overruled|overturned|reversed|revised|replaced|superseded)\b",
            r"\bchanged (?:our|their|his|her|my) minds?\b",
        ),
    ),
    (
        "tasks",
        (
            r"\bto-?dos?\b",
            r"\bopen (?:tasks?|items?|points?|ends|issues)\b",
            r"\b(?:tasks|action items|next steps)\b",
            r"\bwhat(?:'s| is| are| remains)?\b.*\b(?:open|outstanding|unfinished|left to|still to|to be done|to do)\b",
        ),
    ),
    (
        "deadlines",
        (r"\bdeadlines\b", r"\bdue dates\b", r"\bwhat(?:'s| is) (?:coming up|due)\b", r"\bwhich dates\b"),
    ),
    (
        "errors",
        (r"\b(?:which|what|list)\b.*\b(?:errors|bugs|failures|problems|issues|incidents|crashes|outages)\b",),
    ),
    ("preferences", (r"\bpreferences\b", r"\bwhat (?:do|does) [\w ]+ (?:prefer|like|dislike)\b")),
    (
        "rules",
        (
            r"\b(?:conventions|rules|guidelines|standards|constraints|restrictions)\b",
            r"\bmust (?:i|we|an? \w+) (?:never|not)\b",
            r"\bwhat (?:am i|are we|is) (?:not )?(?:allowed|forbidden)\b",
        ),
    ),
    (
        "decisions",
        (
            r"\bdecisions\b",
            (
                r"\bwhat (?:was|did we|have we|has been|did you|were we|do we)\b[\w ]*\b(?:decided?|agreed?|settled?"
                r"|choose|chosen)\b"
            ),
        ),
    ),
    (
        "any",
        (
            r"\bwhat (?:all )?(?:happened|was done|was planned|went on|did (?:we|you|they|i) do)\b",
            r"\bwhat(?:'s| has| is| was)? (?:all )?(?:changed|new|different)\b",
            r"\bsummar(?:y|i[sz]e)\b",
            r"\boverview\b|\brecap\b|\bcatch me up\b",
            r"\bstate of (?:the|this|our|my)\b",
            r"\bwhere (?:do|are) we (?:stand|now)\b",
            r"\bwhat (?:must|should) (?:i|we) (?:know|remember|watch out)\b",
            r"\bwhat do (?:i|we) have to (?:look out|know|watch)\b",
        ),
    ),
)
_PLANS: tuple[tuple[What, re.Pattern[str]], ...] = tuple(
    (what, re.compile("|".join(forms), re.IGNORECASE)) for what, forms in _FORMS
)
_ASKING = frozenset(
    terms_in(
        f"""
        decision decisions decided decide agreed agree settled made make overruled replaced reversed open todo
        todos task tasks items left outstanding still deadline deadlines due coming up error errors problem
        problems issue issues bugs failures cause causes caused hit convention conventions rule rules guideline
        guidelines standards constraints preferences prefer people persons involved works work want wants
        happened changed change new since summarize summary overview state recap project know remember must never
        follow look out week list today yesterday planned day all current currently now far here was were
        everything each does family around give {_DAYS}
        """
    )
)
"""Words by which broad questions are asked: they name no topic."""


Newer = Callable[[Passage], Sequence[Passage]]
"""Return what replaced a turn that is quoted."""


class Plan(Struct, frozen=True):
    """`since` and `until`, in milliseconds, bound what is told; None for what holds now. `topic` are the words of the
    question that name what it is about."""

    what: What
    topic: frozenset[str]
    since: int | None = None
    until: int | None = None


def plan_of(question: str, last_at: int, zone: tzinfo, named: Callable[[], tuple[int, int] | None]) -> Plan | None:
    """Return the plan for a broad question; None for one that asks for one thing.

    A day of the week is the last one until `last_at`, when somebody spoke last. `named` returns the span of another day
    that the question names.
    """
    what: What | None = next((kind for kind, form in _PLANS if form.search(question)), None)
    if what is None:
        return None
    topic = terms_in(question) - _ASKING
    span = _weekday(question, last_at, zone) or named()
    if span is None:
        return Plan(what, topic)
    first, last = span
    return Plan(what, topic, first, None if _SINCE.search(question) else last)


def planned(plan: Plan, talk: Talk) -> list[CurrentStatement]:
    """Return the statements that answer, the best first, and none that addresses a model."""
    lines = dict.fromkeys(_chosen(plan, talk))
    return [one for one in lines if not judge(one.text).findings][:MOST_LINES]


def newer_of(found: Mapping[str, Passage], talk: Talk, turns: Sequence[Turn]) -> Newer:
    """Return what finds the replacements of a turn. `found` has what search brought of them, `turns` are the talk in
    the order of time."""
    replaced: dict[str, list[Passage]] = {}
    for old, new in talk.replaced.items():
        replaced.setdefault(talk.told[old].turn, []).append(passage_of_statement(talk.told[new]))
    changes: list[Changes] = []

    def newer(one: Passage) -> Sequence[Passage]:
        if one.kind != "turn":
            return ()
        if not changes:
            changes.append(Changes(turns, talk))
        later = [passage_of_turn(each, changes[0].text_of(each)) for each in changes[0].after(one.id)]
        known = ([found[one.id]] if one.id in found else []) + replaced.get(one.id, [])
        return [*{each.id: each for each in (*known, *later)}.values()]

    return newer


def passage_of_turn(turn: Turn, text: str) -> Passage:
    """Return a turn with `text` in place of its own, as it is quoted."""
    return replace(passage_of(turn, 0.0, 0), text=clean(text).text.strip())


def passage_of_statement(one: CurrentStatement) -> Passage:
    """Return a statement as it is quoted."""
    speaker = quotable(one.speaker or "")[:NAME_CHARACTERS].strip()
    return Passage(
        id=one.turn,
        kind="turn",
        text=clean(one.text).text.strip(),
        at=one.at,
        similarity=0.0,
        speaker=speaker,
        author=speaker.casefold() or one.role,
        role=one.role,
        session=one.session or "",
    )


def covers(plan: Plan, lines: Sequence[CurrentStatement]) -> bool:
    """Return whether the lines are about what the question names, if anything."""
    return bool(lines) and (not plan.topic or any(plan.topic & terms_in(one.text) for one in lines))


def _chosen(plan: Plan, talk: Talk) -> Iterator[CurrentStatement]:
    holding = talk.holding
    if plan.what == "replaced":
        yield from (talk.told[one] for pair in talk.replaced.items() for one in reversed(pair))
        yield from (one for one in reversed(holding) if one.kind == "decision" and corrects(one.text))
    elif plan.what == "people":
        yield from _of_people(holding)
    elif plan.what == "any":
        # What happened on a day is told as it was; of what changed, that comes first which replaced something.
        told = holding if plan.until is None else talk.told
        newer = {talk.told[one] for one in talk.replaced.values()} if plan.since and not plan.until else ()
        lines = _by_topic(plan, ranked(one for one in told if _within(one, plan)))
        yield from sorted(lines, key=lambda one: one not in newer)
    else:
        latest = sorted((one for one in holding if _within(one, plan)), key=lambda one: -one.at)
        for kinds in _KINDS[plan.what]:
            yield from _by_topic(plan, [one for one in latest if one.kind in kinds])
        if plan.what == "deadlines":
            yield from (one for one in latest if _DATED.search(one.text))


def _by_topic(plan: Plan, told: Iterable[CurrentStatement]) -> list[CurrentStatement]:
    """Return the statements, with those that name the topic first."""
    return sorted(told, key=lambda one: -len(plan.topic & terms_in(f"{one.speaker or ''} {one.text}")))


def _of_people(holding: Sequence[CurrentStatement]) -> Iterator[CurrentStatement]:
    """For each speaker what binds others most, then statements that name somebody else, one for each name."""
    speakers = dict.fromkeys(one.speaker for one in reversed(holding) if one.speaker)
    names = {name.casefold() for name in speakers if name}
    for one in holding:
        for found in _PERSON.finditer(one.text):
            name = found[0].casefold()
            if name not in names:
                names.add(name)
                yield one
    for speaker in speakers:
        own = [one for one in holding if one.speaker == speaker]
        yield from [*(one for one in own if one.kind in _BINDING), *own][:3]


def _within(one: CurrentStatement, plan: Plan) -> bool:
    return (plan.since is None or one.at >= plan.since) and (plan.until is None or one.at < plan.until)


def _weekday(question: str, last_at: int, zone: tzinfo) -> tuple[int, int] | None:
    found = _DAY.search(question)
    if found is None:
        return None
    last = instant_at(last_at).astimezone(zone)
    back = (last.weekday() - _DAYS.split().index(found[1].lower())) % 7
    day = (last - timedelta(days=back)).date()
    midnights = (datetime(one.year, one.month, one.day, tzinfo=zone) for one in (day, day + timedelta(days=1)))
    first, following = map(milliseconds, midnights)
    return first, following
