"""Parsing and limits of the facts that callers state."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from msgspec import Meta, Struct
from msgspec.structs import replace

from almanac.content import clean
from almanac.content.redaction import RedactedValue, SecretFinding, placeholder, redact_named, redact_value
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import name_key, tidy_name
from almanac.families.knowledge.core.records import FIRST_MS, LAST_MS, MAX_SOURCES, Cardinality
from almanac.families.memory.core.times import TimeContext, is_date, read_instant
from almanac.families.memory.memories.new_memory import check_metadata
from almanac.families.time.expressions.context import WeekStart
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.values import check_value

SUBJECT_CHARACTERS = 512
PREDICATE_CHARACTERS = 256
OBJECT_CHARACTERS = 4096
REASON_CHARACTERS = 1000
YEARS = range(1, 9999)

Subject = Annotated[str, Meta(min_length=1, max_length=SUBJECT_CHARACTERS)]
Predicate = Annotated[str, Meta(min_length=1, max_length=PREDICATE_CHARACTERS)]
Object = Annotated[str, Meta(min_length=1, max_length=OBJECT_CHARACTERS)]
Instant = Annotated[int, Meta(ge=FIRST_MS, le=LAST_MS)] | Annotated[str, Meta(min_length=1, max_length=100)]
"""Type of an argument that `instant_of` parses. It covers the years 1 to 9998, not only those since 1970."""
SourceIds = Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=MAX_SOURCES)]


_STATES = re.compile(r"is|=|:|value|equals?|set to|has value|has the value|current value", re.IGNORECASE)
"""Predicates that only say that the object is the value of the subject."""
_OBJECT, _NAME = "secret object", "password"
_IN_UTC = "This API key has no time zone, so dates were read as days of UTC."


class NewFact(Struct, frozen=True, kw_only=True):
    """A validated fact without secrets. `findings` list the secrets that were removed. `object` is as the caller wrote
    it, trimmed. Fields that the caller left out are None."""

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
        """The keys of subject, predicate and object."""
        return name_key(self.subject), name_key(self.predicate), name_key(tidy_name(self.object))


class FactInput(Struct, frozen=True, kw_only=True):
    """A new fact as the caller sent it."""

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


def new_fact(knowledge: Knowledge, fact_input: FactInput) -> NewFact:
    """Return the validated, redacted fact. Raises InvalidInput for blank names, times that cannot be read, and metadata
    that are too large or too deep."""
    check_metadata(fact_input.metadata or {})
    texts = {name: _checked_name(getattr(fact_input, name), name) for name in ("subject", "predicate", "object")}
    redacted = redact_fact({**texts, "metadata": dict(fact_input.metadata or {})})
    value = cast("dict[str, Any]", redacted.value)
    metadata, _ = check_value("metadata", value["metadata"])
    named = [one for one in (fact_input.source_turn_id, *fact_input.sources) if one is not None]
    return NewFact(
        subject=tidy_name(value["subject"]),
        predicate=tidy_name(value["predicate"]),
        object=value["object"],
        confidence=fact_input.confidence,
        valid_from=instant_of(knowledge, fact_input.valid_from, "valid_from"),
        valid_to=instant_of(knowledge, fact_input.valid_to, "valid_to"),
        cardinality=fact_input.cardinality,
        change_cardinality=fact_input.change_cardinality,
        sources=tuple(dict.fromkeys(named)),
        corrects=fact_input.corrects,
        metadata=cast("dict[str, Any]", metadata),
        tool=(fact_input.tool or "").strip() or None,
        findings=redacted.findings,
    )


def redact_fact(texts: Mapping[str, Any]) -> RedactedValue:
    """Redact the texts of a fact: `subject`, `predicate`, `object` and any others.

    The predicate names the content of the object. If the predicate only states a value, the subject names it. The fact
    that a password is X is therefore redacted like the metadata {"password": X}.
    """
    subject, predicate, object_ = str(texts["subject"]), str(texts["predicate"]), str(texts["object"])
    states = _STATES.fullmatch(predicate.strip()) is not None
    names = (predicate, f"{subject} {predicate}", *((subject,) if states else ()))
    judged = redact_named(object_, names)
    if not judged.findings or judged.text != placeholder(judged.findings[0].kind):
        return redact_value(texts)
    # Redact the same secret in the other texts too, where only its value gives it away.
    redacted = redact_value({**texts, _OBJECT: {_NAME: object_}})
    value = {**cast("dict[str, Any]", redacted.value), "object": judged.text}
    value.pop(_OBJECT)
    findings = [each for each in redacted.findings if each.path != "object" and not each.path.startswith(_OBJECT)]
    return RedactedValue(value, (*findings, replace(judged.findings[0], path="object")))


def instant_of(knowledge: Knowledge, value: int | str | None, path: str, *, ends: bool = False) -> int | None:
    """Return milliseconds since 1970, negative before that; None for None. With `ends`, return the exclusive end of the
    named span. Raises InvalidInput if words name no time, or need a time zone and the caller has none."""
    if value is None:
        return None
    memory = knowledge.memory
    reading = TimeContext(knowledge.clock.now(), memory.zone, cast(WeekStart, memory.week_start), dates_in_utc=True)
    instant = read_instant(value, path, reading, ends=ends, years=YEARS)
    if not FIRST_MS <= instant <= LAST_MS:
        raise InvalidInput(f"{path} lies outside the years 1 to 9998.", "Use a date between them.", path=path)
    return instant


def zone_notes(knowledge: Knowledge, *values: int | str | None) -> tuple[str, ...]:
    """Return the note that dates among `values` were read as days of UTC, if the caller has no time zone."""
    return (_IN_UTC,) if not knowledge.memory.zone and any(map(is_date, values)) else ()


def reason_of(text: str | None) -> tuple[str | None, tuple[SecretFinding, ...]]:
    """Return a redacted reason, and the secrets that were in it."""
    redacted = redact_value({"reason": (text or "").strip()})
    return cast("dict[str, str]", redacted.value)["reason"] or None, redacted.findings


def _checked_name(text: str, name: str) -> str:
    cleaned_name = clean(text).text.strip()
    if not cleaned_name:
        raise InvalidInput(f"{name} is blank.", f"Say the {name}, e.g. Ann, works_at, Acme.", path=name)
    return tidy_name(cleaned_name) if name != "object" else cleaned_name
