"""Plan the answers to broad questions: about all decisions, open tasks, rules, or the events of a day.

No sentence answers such a question by itself, and few sentences share a word with it. The answer consists of all
statements of the kinds in question: the statements that hold now, or the statements of the days that the question
names.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import cache
from typing import Literal, NamedTuple

from msgspec import Struct

from almanac.families.memory.candidates.current_statements import Talk
from almanac.families.memory.candidates.later_words import Changes
from almanac.families.memory.core.records import Turn
from almanac.families.memory.synthesis.passages import FindLater, Passage, passage_of_statement, passage_of_turn
from almanac.kernel.instants import instant_at, milliseconds
from almanac.search.analysis.dates import MONTHS
from almanac.search.analysis.words import terms_in

_DAYS: str = "monday tuesday wednesday thursday friday saturday sunday"
_DAY = re.compile(rf"\b({'|'.join(_DAYS.split())})\b", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|from)\b", re.IGNORECASE)
_AFTER = re.compile(r"\bafter\b", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|until|till|up to)\b", re.IGNORECASE)
_READ_CHARACTERS = 1_000
"""Most characters of a question in which its form is looked for. The time of some forms grows with their square."""
PlanKind = Literal[
    "people", "replaced", "tasks", "deadlines", "preferences", "rules", "errors", "decisions", "changes", "any", "about"
]
_OF_THE_PAST: frozenset[PlanKind] = frozenset({"any", "changes", "decisions", "errors", "replaced"})
"""Questions about what was said, so a day in them is a day of the talk."""
_OF_MANY: frozenset[PlanKind] = frozenset({"rules", "errors", "deadlines", "tasks", "preferences"})
_VERBS = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|must|should|may|if|to)"
_ASKING_VERBS = (
    r"(?:are|were|do|does|did|have|must|should|can|could|will|would|may|need|apply|exist|we|i|you|they|changed|matter)"
)
_MANY = (
    r"(?!(?:always|was|is|has|does|this|its|us|plus|yes|less|times?)\b)"
    r"[a-z][\w-]*(?:[^s\W]s|ies|people|children|women|men)"
)
"""Matches a noun in the plural, because a question about several things asks for all of them."""
_FORMS: tuple[tuple[PlanKind, tuple[str, ...]], ...] = (
    (
        "people",
        (
            r"\bwho (?:all )?works\b",
            r"\bwho (?:all )?(?:is|are|was|were) (?:all )?(?:involved|part of|on the team|who)\b",
            r"\b(?:which|what) (?:people|persons|teammates)\b",
            r"\bpeople (?:are )?involved\b",
            r"\b(?:people|persons|team|teammates) and their\b",
            r"\bwho are (?:the|our|all)\b.*s\W*$",
            r"\bwho (?:is |all )?(?:does|did|do|wants|wanted|responsible)\b.*\bwhat\b",
        ),
    ),
    (
        "replaced",
        (
            (
                r"\b(?:decisions?|choices?|plans?|what (?:was|were|has been|have been|got))\b.*"
                r"\b(?:overruled|overturned|reversed|revised|replaced|superseded)\b"
            ),
            r"\bchanged? (?:our|their|his|her|my) minds?\b",
        ),
    ),
    (
        "rules",
        (
            r"\b(?:conventions|rules|guidelines|standards|constraints|restrictions)\b",
            r"\bmust(?: [\w'-]+){0,3} (?:never|not)\b",
            r"\bwhat(?:'s| am i| are we| is) (?:not )?(?:allowed|forbidden|prohibited)\b",
        ),
    ),
    (
        "tasks",
        (
            r"\bto-?dos?\b",
            r"\bopen (?:tasks?|items?|points?|ends|issues|questions)\b",
            r"\b(?:tasks|action items|next steps)\b",
            r"\bwhat(?:'s| is| are| remains)?\b.*\b(?:open|outstanding|unfinished|left to|still to|to be done|to do)\b",
            r"\bwhat(?:'s| is| are) (?:still )?(?:missing|pending|unresolved|unanswered)\W*$",
            r"\bwhat(?:'s| is) on [\w' -]{1,60} (?:plate|list|desk)\b",
        ),
    ),
    (
        "deadlines",
        (r"\bdeadlines\b", r"\bdue dates\b", r"\bwhat(?:'s| is) (?:coming up|due)\b", r"\bwhich dates\b"),
    ),
    (
        "errors",
        (
            r"\b(?:which|what|list)\b.*\b(?:errors|bugs|failures|problems|issues|incidents|crashes|outages)\b",
            r"\bwhat (?:all )?(?:went wrong|broke|failed|crashed)\b",
        ),
    ),
    (
        "preferences",
        (r"\bpreferences\b", r"\bwhat (?:do|does) [\w ,'-]{1,100} (?:(?:rather )?(?<!look )like|prefer|dislike)\b"),
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
    ("changes", (r"\bwhat(?:'s| has| is| was)? (?:all )?(?:changed|new|different)\b",)),
    (
        "any",
        (
            r"\bwhat (?:all )?(?:happened|was done|was planned|went on|did (?:we|you|they|i) do)\b",
            r"\bwhat(?:'s| is| are| were) the plans?\b",
            r"\bsummar(?:y|i[sz]e)\b",
            r"\boverview\b|\brecap\b|\bcatch me up\b",
            r"\bstate of (?:the|this|our|my)\b",
            r"\bwhere (?:do|are) we (?:stand|now)\b",
            r"\bwhat (?:must|should) (?:i|we) (?:know|remember|watch out)\b",
            r"\bwhat do (?:i|we) (?:have|need) to (?:look out|know|watch)\b",
            r"\b(?:tell me|everything|all) (?:that )?(?:(?:we|you|i|there is to) )?(?:know )?(?:about|on)\b",
            r"\bwhat do (?:we|you|i) (?:have|know) (?:about|on)\b",
            r"\bwhat(?:'s| is| are| has been| was) (?:all )?(?:planned|prepared|arranged) (?:for|about|on)\b",
            r"\bhow do (?:we|you|they) (?:do|handle|run|work with|go about|deal with|organi[sz]e)\b",
            r"\b(?:risks|dangers|worries)\b|\bwhat (?:could|can|might) (?:still )?(?:all )?go wrong\b",
        ),
    ),
    (
        "about",
        (
            (
                rf"^\W*(?:(?:and|so|ok|but) )?(?:what|which)(?: (?!{_VERBS}\b)[\w'-]+){{0,3}}? {_MANY}(?: and [\w-]+)?"
                rf"(?: (?:of|for|in|on|about|with|to|from) [\w ]+?)? {_ASKING_VERBS}\b"
            ),
            r"\bwhat (?:are|were)(?: (?!(?:we|you|they|i)\b)[\w'-]+){1,4}?(?<=s)\b",
            (
                r"\bwhat (?:must|should|shall|may|can|does|do)\b.*\b(?:know|remember|watch|look out|consider|never|not"
                r"|avoid|mind|be careful|be aware)\b"
            ),
            (
                r"\b(?:what|everything|all)\b.*\b(?:known?|learn(?:ed|t)?|said|planned|prepared|done|bought|ordered"
                r"|arranged|booked) (?:about|for|of|to|so far|this|last|in)\b"
            ),
            r"\bwhat (?:do|did|can|should|must) (?:we|you|they|i) (?:do|learn|find out|try|prepare|arrange)\b",
            (
                r"\bwhat (?:(?:do|does) [\w'-]+ (?:have|need) to|(?:should|must|shall) [\w'-]+)"
                r" (?:think|remember|consider|mind|bring|take|prepare|pack|plan)\b"
            ),
            (
                r"\bwhat (?:do|does|did|has|have) (?:[\w'-]+ ){1,3}?(?:say|said|tell|told|ask(?:ed)?|want(?:ed)?"
                r"|order(?:ed)?|request(?:ed)?|take on|taken on|took on|buy|bought|changed?|decided?|promised?|agreed?"
                r"|plan(?:ned)?|need(?:ed)?|expect|require)\b"
            ),
            (
                r"^\W*(?:(?:and|so|ok|but) )?what (?:was|were|has been|have been)"
                r" \w+(?:ed|ought|ade|ent|old|aid|iven|aken|osen)\W*$"
            ),
            r"^\W*(?:(?:and|so|ok|but) )?how (?:does|do|will|did|should|must|is|are|was|were)\b",
            r"\bwhat (?:do|does|did) .*\b(?:say|want|ask(?: for)?|expect|require|demand|need|care about)\W*$",
            (r"\banything (?:(?:we|you|i) )?(?:know )?(?:about|on)\b"),
            r"\bwho\b.*\bwhat\b",
        ),
    ),
)
_AHEAD = re.compile(
    r"\b(?:have to|has to|need to|must|should|shall|ought to|going to) (?:[\w'-]+ )?"
    r"(?:think|remember|consider|mind|bring|take|prepare|pack|plan|watch|look out|do)\b",
    re.IGNORECASE,
)
"""Matches questions about a day to come, of which people spoke on other days."""
_OF_ONE_THING = re.compile(
    rf"^\W*(?:(?:and|so|but|by) )?(?:when|where|how (?:many|much|long|often|old|big|far|late|early))\b"
    rf"|^\W*(?:(?:and|so|but) )?which (?!{_VERBS}\b)[\w'-]*[^\Ws] (?:is|was|has|does|did|must|may|can)\b",
    re.IGNORECASE,
)
"""Matches questions that one sentence answers, though they name rules or errors: "when do the new rules apply?"."""
_PLANS: tuple[tuple[PlanKind, re.Pattern[str]], ...] = tuple(
    (what, re.compile("|".join(forms), re.IGNORECASE)) for what, forms in _FORMS
)
_ASKING = frozenset(
    terms_in(
        f"""
        decision decisions decided decide agreed agree settled made make overruled replaced reversed open todo
        todos task tasks items left outstanding still deadline deadlines due coming up error errors problem
        problems issue issues bugs failures cause causes caused hit fix fixes fixed convention conventions rule rules
        guideline guidelines standards constraints preferences prefer people persons involved works work want wants
        happened changed change new since summarize summary overview state recap project know remember must never
        need needs next plan plans planned exist exists mind minds thing things allowed forbidden remind came solved
        set ask asked said say tell told learn learnt known go went wrong broke why any question questions
        missing get work like dislike until before so responsible
        find found follow look out think bring consider mind week list today yesterday planned day all current
        currently now far here was were
        everything each does around give {_DAYS}
        """
    )
)
"""Words of broad questions that say nothing about the topic."""
_MONTHS = frozenset(terms_in(" ".join(f"{month} {month[:3]}" for month in MONTHS)))


class FindReplacements(NamedTuple):
    """Two functions that find later passages about a quoted sentence of a turn.

    `newer` returns those that replaced it by their words, and `overtaking` the one that probably overtakes it."""

    newer: FindLater
    overtaking: FindLater


class Plan(Struct, frozen=True):
    """The plan for a broad question. `topic` has the terms of the question that name its subject.

    `since` and `until`, in milliseconds since 1970, bound the turns to quote; `until` is exclusive. Both are None for a
    question about the statements that hold now."""

    kind: PlanKind
    topic: frozenset[str]
    since: int | None = None
    until: int | None = None

    def includes(self, at: int) -> bool:
        """Return whether the plan includes a turn said at that instant."""
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


def plan_of(
    question: str, last_at: int, zone: tzinfo, find_named_span: Callable[[int | None], tuple[int, int] | None]
) -> Plan | None:
    """Return the plan for a broad question; None for a question about one thing.

    A day of the week means the last such day up to `last_at`, the instant of the last turn. `find_named_span` returns
    the span of any other day, month or year that the question names. It gets `last_at` if the question asks for what
    was said, so that a day without a year is a day of the talk. Times in a question about deadlines are those of the
    deadlines."""
    kind: PlanKind | None = next((each for each, form in _PLANS if form.search(question[:_READ_CHARACTERS])), None)
    if kind is None or (kind in _OF_MANY and _OF_ONE_THING.search(question)):
        return None
    topic = terms_in(question) - _ASKING
    is_of_days_ahead = (
        kind == "deadlines"
        or (kind == "tasks" and _BEFORE.search(question))
        or (kind == "about" and _AHEAD.search(question))
    )
    said_by = last_at if kind in _OF_THE_PAST else None
    span = None if is_of_days_ahead else _weekday(question, last_at, zone) or find_named_span(said_by)
    if span is None:
        return Plan(kind, topic)
    topic = frozenset(term for term in topic if not term[:1].isdigit()) - _MONTHS
    first, last = span
    if _SINCE.search(question):
        return Plan(kind, topic, first)
    if _AFTER.search(question):
        return Plan(kind, topic, last)
    return Plan(kind, topic, until=first) if _BEFORE.search(question) else Plan(kind, topic, first, last)


def replacement_finder(found_by_search: Mapping[str, Passage], talk: Talk, turns: Sequence[Turn]) -> FindReplacements:
    """Return the functions that find the replacements of a sentence of a turn.

    `found_by_search` has replacements by the ids of the replaced turns. `turns` are the conversation in the order of
    time, and `talk` has their statements."""
    replaced: dict[str, list[Passage]] = {}
    for old, new in talk.replaced.items():
        replaced.setdefault(talk.statements[old].turn, []).append(passage_of_statement(talk.statements[new]))
    changes = cache(lambda: Changes(turns, talk))

    def find_newer(passage: Passage, sentence: str) -> Sequence[Passage]:
        if passage.kind != "turn":
            return ()
        later = [passage_of_turn(each, changes().text_of(each)) for each in changes().after(passage.id, sentence)]
        earlier = ([found_by_search[passage.id]] if passage.id in found_by_search else []) + replaced.get(
            passage.id, []
        )
        return [*{each.id: each for each in (*earlier, *later)}.values()]

    @cache
    def find_overtaking(passage: Passage, sentence: str) -> Sequence[Passage]:
        later = changes().overtaking(passage.id, sentence) if passage.kind == "turn" else ()
        return [passage_of_turn(each, changes().text_of(each)) for each in later]

    return FindReplacements(find_newer, find_overtaking)


def _weekday(question: str, last_at: int, zone: tzinfo) -> tuple[int, int] | None:
    match = _DAY.search(question)
    if match is None:
        return None
    last = instant_at(last_at).astimezone(zone)
    back = (last.weekday() - _DAYS.split().index(match[1].lower())) % 7
    day = (last - timedelta(days=back)).date()
    midnights = (datetime(date.year, date.month, date.day, tzinfo=zone) for date in (day, day + timedelta(days=1)))
    first, following = map(milliseconds, midnights)
    return first, following
