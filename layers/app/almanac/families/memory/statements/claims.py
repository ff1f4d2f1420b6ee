"""Extract the parts of sentences that can be compared without understanding them: topic, values, yes or no.

    "We deploy on Tuesdays."              about {deploy}              values {day: tuesday}
    "The timeout is now 30 seconds."      about {timeout, second}     values {number of second: 30}        changed
    "The database is not Postgres."       about {databas}             values {name of database: Postgres}  negated

A sentence about a single event claims no lasting state, and a question or a supposition makes no claim at all.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from almanac.search.analysis.words import terms_in

_DAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_MONTHS = "january|february|march|april|june|july|august|september|october|november|december"
_DATE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS}|may)|(?:{_MONTHS}|may)\s+\d{{1,2}}"
    r"(?:st|nd|rd|th)?)\b(?:,?\s+\d{4}\b)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(?:[01]?\d|2[0-3]):[0-5]\d(?:\s*[ap]\.?m\b\.?)?|\b(?:1[0-2]|0?[1-9])\s*[ap]m\b"
    r"|\bnoon\b|\bmidnight\b",
    re.IGNORECASE,
)
_COUNTED = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "twelve": "12", "twenty": "20", "thirty": "30",
}  # fmt: skip
_NUMBER = re.compile(
    rf"(?:\b(?P<before>[^\W\d_]{{1,30}}))?\W{{0,3}}(?<![\w.:/-])(?P<sign>[$€£#v])?(?P<number>\d[\d,]*(?:\.\d+)*|(?:{'|'.join(_COUNTED)})\b)"
    r"(?![\d:/-]+\d)\s{0,2}(?P<unit>%|[^\W\d_]+)?",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"^(?:[Tt]he|[Oo]ur)\s+(?P<subject>[\w' -]{2,60}?)\s+(?:is|are|uses|runs on|lives in|lives on)\s+"
    r"(?:now\s+|not\s+|called\s+|named\s+)*(?P<name>(?:[A-Z`'][\w.+#`'-]*)(?:\s+[A-Z][\w.+#-]*)*)\W*$"
)
_NEGATED = re.compile(
    r"\b(?:not|never|cannot|no longer|don't|doesn't|isn't|aren't|won't|can't|mustn't)\b", re.IGNORECASE
)
_NEGATIONS = frozenset(terms_in("never cannot longer no not don't doesn't isn't aren't won't can't mustn't"))
_CHANGED = re.compile(
    r"\b(?:now|no longer|instead|from now on|as of|(?:was|were|is|are|has been|have been|been|got) "
    r"(?:moved|changed|switched|raised|lowered|increased|reduced|postponed|rescheduled) to)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^(?:(?:oh|oops|sorry|wait|hm+)[,.!]?\s+)*(?:no,? (?:actually|wait|that)|actually,? no\b|actually,|correction\b"
    r"|scratch that|i (?:misspoke|was wrong|meant)|that(?:'s| is| was) (?:wrong|not right|incorrect|not true)"
    r"|not quite[,:])",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:(?<!is )(?<!are )\w{2,}ed|was|were|went|had|did|got|made|met|saw|ran|bought|took|came|left|told|spent|found"
    r"|began|gave|felt|thought|knew|wrote|won|lost|yesterday|ago|last|this|today|tonight|tomorrow|next|going|gonna"
    r"|i'll|we'll)\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:if|should|could|would|might|may be|maybe|perhaps|probably|suppose|whether|wish|hope|think|guess|seems?)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|i'm|i've|my|me|mine|you|your|he|his|she|her|they|their)\b", re.IGNORECASE)
_LABELS = frozenset(
    terms_in(
        "# number item step try attempt run chapter part page issue ticket line round test case example task card note"
        " question option phase day week sprint room level episode season turn message session"
    )
)
"""A number next to one of these words is a name, as in "ticket 7", and not a value."""
_WORDLESS = _NEGATIONS | frozenset(
    terms_in(
        "now every each always usually also just only current currently any more anymore then move moves moved moving"
        " change changes changed switch switched shift shifted postpone postponed reschedule rescheduled"
    )
)
"""Words that are no topic. "Move to Tuesdays" alone does not say what moves."""


class Claim(Struct, frozen=True, kw_only=True):
    """The claim of a sentence. `about` has the terms of its topic, and `values` the values by their kinds.

    `own`: the claim is about the speaker or an unnamed person. `holds`: it describes a state and not an event.
    `changed`: it says that something is new from now on. `corrects`: it takes back an earlier sentence."""

    about: frozenset[str]
    values: Mapping[str, str]
    negated: bool
    own: bool
    holds: bool
    changed: bool
    corrects: bool


def claim_of(sentence: str) -> Claim | None:
    """Return the claim of a sentence; None for a question or a supposition."""
    if sentence.endswith(("?", "\uff1f")) or _SUPPOSES.search(sentence):
        return None
    values = dict(values_of(sentence))
    value_words = terms_in(" ".join(values.values()))
    changed = bool(_CHANGED.search(sentence))
    return Claim(
        about=frozenset(
            term
            for term in terms_in(sentence) - value_words - _WORDLESS
            if not term[:1].isdigit() and term not in _COUNTED
        ),
        values=values,
        negated=bool(_NEGATED.search(sentence)),
        own=bool(_OWN.search(sentence)),
        holds=changed or not _TELLS.search(sentence),
        changed=changed,
        corrects=bool(_CORRECTS.match(sentence)),
    )


def values_of(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield each kind of value of which the sentence has exactly one, with the value as written."""
    rest = sentence
    for kind, pattern in (("date", _DATE), ("time of day", _CLOCK), ("day", _DAY)):
        values = {
            match[0].lower().rstrip("s") if kind == "day" else match[0].lower() for match in pattern.finditer(rest)
        }
        rest = pattern.sub(" ", rest)
        if len(values) == 1:
            yield kind, values.pop()
    yield from _numbers(rest)
    if name_match := _NAMED.match(sentence):
        yield f"name of {name_match['subject'].lower()}", name_match["name"].strip("`'.")


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield each number of a text with the thing it counts: the word behind the number, or else the word before it."""
    numbers_by_kind: dict[str, set[str]] = {}
    for match in _NUMBER.finditer(text):
        unit = match["sign"] or _unit(match["unit"]) or _unit(match["before"])
        number = match["number"].replace(",", "").lower()
        if unit == "#" or not terms_in(match["before"] or "").isdisjoint(_LABELS):
            continue
        numbers_by_kind.setdefault(f"number of {unit}" if unit else "number", set()).add(_COUNTED.get(number, number))
    for kind, numbers in numbers_by_kind.items():
        if len(numbers) == 1:
            yield kind, numbers.pop()


def _unit(word: str | None) -> str:
    if word == "%":
        return "%"
    return word.lower().removesuffix("s") if word and terms_in(word) - _WORDLESS else ""
