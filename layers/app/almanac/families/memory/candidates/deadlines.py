"""Find deadlines in sentences: the phrase that names the time, and the instant if the time zone is known."""

import re
from datetime import datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import understand
from almanac.families.time.expressions.interpreter import Grain
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds

_BY = r"(?:by|before|no later than|until) (?!(?:the time|the way|then)\b)"
_DUE = re.compile(
    "|".join(
        (
            r"(?<!\bwas )(?<!\bwere )\bdue (?:on |by |before |at |until )?",
            r"\bdeadline(?: for [\w '-]{2,60}?)?(?: is|:)(?: on| by)? ",
            rf"\b(?:must|have to|has to|need to|needs to|needed|required|should)\b[^.;]{{0,120}}? {_BY}",
            rf"\b(?:submit|deliver|finish|hand in|send|complete|pay|reply|respond|file)\b[^.;]{{0,120}}? {_BY}",
            r"\byou(?:'ve| have) until ",
            r"\b(?:fällig|frist|abgabe)(?: ist| endet)?(?: am| bis zum| bis|:)? ",
            r"\b(?:muss|müssen|soll|sollen|brauchen)\b[^.;]{0,120}? bis (?:spätestens )?(?:zum )?",
            r"\b(?:date limite|échéance)(?: est|:)?(?: le)? ",
            r"\b(?:fecha límite|plazo)(?: es|:)?(?: el)? ",
        )
    ),
    re.IGNORECASE,
)
_IN_ENGLISH = {
    "montag": "monday", "dienstag": "tuesday", "mittwoch": "wednesday", "donnerstag": "thursday", "freitag": "friday",
    "samstag": "saturday", "sonntag": "sunday", "morgen": "tomorrow", "heute": "today",
    "lundi": "monday", "mardi": "tuesday", "mercredi": "wednesday", "jeudi": "thursday", "vendredi": "friday",
    "samedi": "saturday", "dimanche": "sunday", "demain": "tomorrow",
    "lunes": "monday", "martes": "tuesday", "miércoles": "wednesday", "jueves": "thursday", "viernes": "friday",
    "sábado": "saturday", "domingo": "sunday", "mañana": "tomorrow",
}  # fmt: skip
_TIME = re.compile(
    rf"\d|\b(?:{'|'.join(_IN_ENGLISH)}|{'|'.join(set(_IN_ENGLISH.values()))}|tonight|noon|midnight|eod|eow|eob|day|week"
    r"|weekend|month|quarter|year|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|(?:jan|febr)uary|march|april|june"
    r"|july|august|(?:septem|octo|novem|decem)ber|mon|tues?|wed|thurs?|fri|sat|sun)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 6
_MOST_PLACES = 2
"""Most places of a sentence in which a time is looked for."""
_TWO_DATES = re.compile(r"(?<![\d/-])(\d{1,2})[/-](\d{1,2})(?:[/-]\d{2,4})?\b(?![/-])")
_SOONEST = timedelta(hours=12)
_LATEST = timedelta(days=3 * 366)


def may_be_due(sentence: str) -> bool:
    """Return whether `deadline_in` may find something. This check takes far less time than reading a time does."""
    return _DUE.search(sentence) is not None and _TIME.search(sentence) is not None


def deadline_in(sentence: str, said_at: int) -> str | None:
    """Return the phrase that says when something is due, such as "Friday at noon"; None if there is none.

    A time more than 12 hours before `said_at`, or more than about three years after it, does not count."""
    for match in islice(_DUE.finditer(sentence), _MOST_PLACES):
        words = sentence[match.end() : match.end() + 80].split()[:_MOST_WORDS]
        for count in range(len(words), 0, -1):
            phrase = " ".join(words[:count]).rstrip(".,;:!)")
            due = _read(phrase, said_at, find_zone("UTC")) if _TIME.search(phrase) else None
            if due is not None and -_SOONEST <= due - instant_at(said_at) <= _LATEST:
                return phrase
    return None


def due_at(phrase: str, said_at: int, zone: str | None) -> int | None:
    """Return the end of the time that `phrase` names, in milliseconds since 1970.

    The phrase is understood as of `said_at` in the time zone `zone`. None if `zone` is None or unknown, or if the
    phrase names no time or may mean two days, such as 3/4."""
    if zone is None or _may_mean_two_days(phrase):
        return None
    try:
        due = _read(phrase, said_at, find_zone(zone))
    except InvalidInput:
        return None
    return None if due is None else milliseconds(due)


def _read(phrase: str, said_at: int, zone: ZoneInfo) -> datetime | None:
    in_english = " ".join(_IN_ENGLISH.get(word.lower(), word) for word in phrase.split())
    try:
        understood = understand(in_english, instant_at(said_at), zone)
    except InvalidInput:
        return None
    if understood.instant is not None:
        return understood.instant
    try:
        return _end(understood.local, understood.grain).replace(tzinfo=zone)
    except (OverflowError, ValueError):
        return None


def _end(local: datetime, grain: Grain) -> datetime:
    """Return the last second of the named day, week or month; a time of day stays as it is."""
    if grain in ("second", "minute", "hour"):
        return local
    if grain == "month":
        return (local.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(seconds=1)
    last = local + timedelta(days=6) if grain == "week" else local
    return datetime.combine(last.date(), time(23, 59, 59))


def _may_mean_two_days(phrase: str) -> bool:
    match = _TWO_DATES.search(phrase)
    return match is not None and match[1] != match[2] and int(match[1]) <= 12 and int(match[2]) <= 12
