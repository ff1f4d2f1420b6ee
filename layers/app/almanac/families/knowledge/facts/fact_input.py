"""Parser and limits for the facts that a caller states."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from msgspec import Meta, Struct
from msgspec.structs import replace

from almanac.content import clean
from almanac.content.redaction import RedactedValue, SecretFinding, placeholder, redact_named, redact_value
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import name_key, tidied
from almanac.families.knowledge.core.records import FIRST_MS, LAST_MS, MAX_SOURCES, Cardinality
from almanac.families.memory.core.times import TimeContext, is_date, read_instant
from almanac.families.memory.memories.new_memory import check_metadata
from almanac.families.time.expressions.context import WeekStart
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.values import checked_value

SUBJECT_CHARACTERS = 512
PREDICATE_CHARACTERS = 256
OBJECT_CHARACTERS = 4096
REASON_CHARACTERS = 1000
YEARS = range(1, 9999)

Subject = Annotated[str, Meta(min_length=1, max_length=SUBJECT_CHARACTERS)]
Predicate = Annotated[str, Meta(min_length=1, max_length=PREDICATE_CHARACTERS)]
Object = Annotated[str, Meta(min_length=1, max_length=OBJECT_CHARACTERS)]
Instant = Annotated[int, Meta(ge=FIRST_MS, le=LAST_MS)] | Annotated[str, Meta(min_length=1, max_length=100)]
"""The type of an argument that `instant_of` reads: of the years 1 to 9998, not only since 1970."""
SourceIds = Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=MAX_SOURCES)]


_STATES = re.compile(r"is|=|:|value|equals?|set to|has value|has the value|current value", re.IGNORECASE)
"""Predicates that say no more than that the object is the value of the subject."""
_OBJECT, _NAME = "secret object", "password"
_IN_UTC = "This API key has no time zone, so dates were read as days of UTC."


class NewFact(Struct, frozen=True, kw_only=True):
    """A fact to be recorded, without its secrets; `findings` say what was taken out. `object` is as it was written, but
    for blanks around it. None is what was not said."""

    subject: str
    predicate: str
    object: str
    confidence: float | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    cardinality: Cardinality | None = None
    change_cardinality: bool = False
    sources: tuple[str, ...] = ()
    corrects: str | None = None
    metadata: Mapping[str, Any] = {}
    tool: str | None = None
    findings: tuple[SecretFinding, ...] = ()

    @property
    def keys(self) -> tuple[str, str, str]:
        """Of subject, predicate and object."""
        return name_key(self.subject), name_key(self.predicate), name_key(tidied(self.object))


class FactInput(Struct, frozen=True, kw_only=True):
    """A new fact as the caller gave it."""

    subject: str
    predicate: str
    object: str
    confidence: float | None = None
    valid_from: int | str | None = None
    valid_to: int | str | None = None
    cardinality: Cardinality | None = None
    change_cardinality: bool = False
    source_turn_id: str | None = None
    sources: Sequence[str] = ()
    corrects: str | None = None
    metadata: Mapping[str, Any] | None = None
    tool: str | None = None


def new_fact(knowledge: Knowledge, given: FactInput) -> NewFact:
    """Raises InvalidInput for blank names, times that cannot be read, and metadata that are too large or too deep."""
    check_metadata(given.metadata or {})
    texts = {name: _named(getattr(given, name), name) for name in ("subject", "predicate", "object")}
    kept = redact_fact({**texts, "metadata": dict(given.metadata or {})})
    value = cast("dict[str, Any]", kept.value)
    metadata, _ = checked_value("metadata", value["metadata"])
    named = [one for one in (given.source_turn_id, *given.sources) if one is not None]
    return NewFact(
        subject=tidied(value["subject"]),
        predicate=tidied(value["predicate"]),
        object=value["object"],
        confidence=given.confidence,
        valid_from=instant_of(knowledge, given.valid_from, "valid_from"),
        valid_to=instant_of(knowledge, given.valid_to, "valid_to"),
        cardinality=given.cardinality,
        change_cardinality=given.change_cardinality,
        sources=tuple(dict.fromkeys(named)),
        corrects=given.corrects,
        metadata=cast("dict[str, Any]", metadata),
        tool=(given.tool or "").strip() or None,
        findings=kept.findings,
    )


def redact_fact(texts: Mapping[str, Any]) -> RedactedValue:
    """Redact the texts of a fact: `subject`, `predicate`, `object` and whatever else there is.

    The predicate tells what the object holds, and the subject does where the predicate only states a value: the fact
    that a password is X is redacted as metadata {"password": X} are.
    """
    subject, predicate, object_ = str(texts["subject"]), str(texts["predicate"]), str(texts["object"])
    states = _STATES.fullmatch(predicate.strip()) is not None
    names = (predicate, f"{subject} {predicate}", *((subject,) if states else ()))
    judged = redact_named(object_, names)
    if not judged.findings or judged.text != placeholder(judged.findings[0].kind):
        return redact_value(texts)
    # Elsewhere in the fact the same secret is found by its value.
    kept = redact_value({**texts, _OBJECT: {_NAME: object_}})
    value = {**cast("dict[str, Any]", kept.value), "object": judged.text}
    value.pop(_OBJECT)
    findings = [each for each in kept.findings if each.path != "object" and not each.path.startswith(_OBJECT)]
    return RedactedValue(value, (*findings, replace(judged.findings[0], path="object")))


def instant_of(knowledge: Knowledge, value: int | str | None, path: str, *, ends: bool = False) -> int | None:
    """Milliseconds since 1970, negative before it; None stays None. With `ends` the end of what words name, excluded.
    Raises InvalidInput for words that mean no time, or need a zone where the caller has none."""
    if value is None:
        return None
    memory = knowledge.memory
    reading = TimeContext(knowledge.clock.now(), memory.zone, cast(WeekStart, memory.week_start), dates_in_utc=True)
    instant = read_instant(value, path, reading, ends=ends, years=YEARS)
    if not FIRST_MS <= instant <= LAST_MS:
        raise InvalidInput(f"{path} lies outside the years 1 to 9998.", "Use a date between them.", path=path)
    return instant


def zone_notes(knowledge: Knowledge, *values: int | str | None) -> tuple[str, ...]:
    """Return the note for dates among `values` that were read as days of UTC because no zone is set."""
    return (_IN_UTC,) if not knowledge.memory.zone and any(map(is_date, values)) else ()


def reason_of(text: str | None) -> tuple[str | None, tuple[SecretFinding, ...]]:
    """A reason as it is kept, and the secrets that were in it."""
    kept = redact_value({"reason": (text or "").strip()})
    return cast("dict[str, str]", kept.value)["reason"] or None, kept.findings


def _named(text: str, name: str) -> str:
    shown = clean(text).text.strip()
    if not shown:
        raise InvalidInput(f"{name} is blank.", f"Say the {name}, e.g. Ann, works_at, Acme.", path=name)
    return tidied(shown) if name != "object" else shown
