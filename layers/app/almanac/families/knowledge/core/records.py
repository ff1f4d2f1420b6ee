"""Stored records of knowledge. Instants are milliseconds since 1970, negative before that.

A fact is stored as it was stated. Which facts hold at an instant is computed from all statements of one subject and
predicate (`timeline.py`). The order in which facts arrive therefore does not matter, and a change rewrites only the
fact that changes.

    P#<tenant>#<project>#facts             <subject>#<predicate>#<valid_from>#<id>   Fact
    P#<tenant>#<project>#fact_places       <id>                                      FactPlace
    P#<tenant>#<project>#fact_slots        <subject>#<predicate>                     FactSlot
    P#<tenant>#<project>#fact_marks        <subject>#<predicate>#<mark>#<at>#<id>    FactMark
    P#<tenant>#<project>#fact_predicates   <predicate>                               FactPredicate
    P#<tenant>#<project>#fact_uses         <predicate>                               FactUse
    P#<tenant>#<project>#fact_subjects     <subject>                                 FactSubject

Subjects, predicates and objects in keys are those of `names.py`: short, and unique for each name.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

Cardinality = Literal["one", "many"]

FIRST_MS = -62_135_596_800_000
"""The beginning of the year 1."""

LAST_MS = 253_402_000_000_000
"""An instant in the year 9999, with a few days left for time zones."""

MAX_IN_SLOT = 10_000
MAX_ENDINGS = 200
MAX_SOURCES = 50


class Source(Struct, frozen=True, omit_defaults=True):
    """A source of a fact: the id of a turn, memory, note, event or card, and its kind."""

    id: str
    kind: str


class Ending(Struct, frozen=True, omit_defaults=True):
    """A statement made at `known_at` that a fact ended at `at`. With `at` None, it withdraws earlier ones."""

    known_at: int
    at: int | None
    actor: str
    reason: str | None = None


class Fact(VersionedRecord, frozen=True, kw_only=True):
    """The statement `subject` `predicate` `object`, valid from `valid_from`, and until `stated_to` if an end was stated
    with it. `recorded_at` is when it was recorded; later facts of the same subject and predicate never have an earlier
    one. `endings`, oldest first, are later statements about its end. `confirmed_at` is when it was last stated.
    `redacted` names the kinds of secrets that were removed."""

    id: str
    subject_key: str
    predicate_key: str
    object_key: str
    subject: str
    predicate: str
    object: str
    valid_from: int
    stated_to: int | None = None
    recorded_at: int
    confirmed_at: int
    confidence: float = 1.0
    actor: str
    tool: str | None = None
    sources: tuple[Source, ...] = ()
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    redacted: tuple[str, ...] = ()
    endings: tuple[Ending, ...] = ()


class FactPlace(Record, frozen=True, kw_only=True):
    """The slot of a fact by the fact's id, and when the fact last changed."""

    id: str
    subject_key: str
    predicate_key: str
    valid_from: int
    changed_at: int


class FactSlot(VersionedRecord, frozen=True, kw_only=True):
    """All facts of one predicate of one subject. Every write in a slot replaces this record, so that writers take
    turns.

    `last_at` is the latest instant of a statement, and `present` the instant that then counted as now, if it is later
    (`slots.present_of`). `indexed` counts the facts in `fact_marks`. A slot of an earlier version may lack some; the
    next change adds them, and `indexed_to` is the start and id of the last fact added so far. `several` and `replaced`
    say what FactUse has counted for this slot.
    """

    subject_key: str
    predicate_key: str
    facts: int
    last_at: int
    present: int | None = None
    indexed: int = 0
    indexed_to: tuple[int, str] | None = None
    several: bool = False
    replaced: bool = False

    @property
    def is_indexed(self) -> bool:
        return self.indexed == self.facts and self.indexed_to is None


class FactMark(Record, frozen=True, kw_only=True):
    """An entry of a fact in the index of its slot (`slot_index.py`), with the data that decide when it ends. `end` is
    the stated end; `stated`: it was stated when the fact was recorded."""

    subject_key: str
    predicate_key: str
    mark: str
    at: int
    id: str
    object_key: str
    valid_from: int
    end: int | None = None
    stated: bool = False


class CardinalityStatement(Struct, frozen=True):
    """The cardinality of a predicate, as stated at `known_at`."""

    known_at: int
    cardinality: Cardinality
    actor: str


class FactPredicate(VersionedRecord, frozen=True, kw_only=True):
    """A predicate. `stated`, oldest first, are the statements of how many objects a subject may have at one instant;
    empty if there are none."""

    predicate_key: str
    predicate: str
    stated: tuple[CardinalityStatement, ...] = ()

    def cardinality(self, known_at: int | None = None) -> Cardinality | None:
        """Return the cardinality as it was known at `known_at`; None means as known now."""
        known: list[Cardinality] = [
            one.cardinality for one in self.stated if known_at is None or one.known_at <= known_at
        ]
        return known[-1] if known else None


class FactUse(VersionedRecord, frozen=True, kw_only=True):
    """Statistics of a predicate without a stated cardinality: the number of subjects at which `several` objects held at
    once, and at which one `replaced` another. A subject counts once for each."""

    predicate_key: str
    several: int = 0
    replaced: int = 0


class FactSubject(Record, frozen=True, kw_only=True):
    """A subject of facts. `folded` is its name without case, accents and signs, for finding similar names."""

    subject_key: str
    subject: str
    folded: str


FACTS = Table(
    Fact,
    "facts",
    sort=("subject_key", "predicate_key", "valid_from", "id"),
    indexes={
        "gsi1": Place("facts_by_predicate", partition=("predicate_key",), sort=("subject_key", "valid_from", "id")),
        "gsi2": Place("facts_by_object", partition=("object_key",), sort=("subject_key", "predicate_key", "id")),
    },
)
PLACES = Table(
    FactPlace, "fact_places", sort=("id",), indexes={"gsi1": Place("facts_by_change", sort=("changed_at", "id"))}
)
SLOTS = Table(FactSlot, "fact_slots", sort=("subject_key", "predicate_key"))
MARKS = Table(FactMark, "fact_marks", sort=("subject_key", "predicate_key", "mark", "at", "id"))
PREDICATES = Table(FactPredicate, "fact_predicates", sort=("predicate_key",))
USES = Table(FactUse, "fact_uses", sort=("predicate_key",))
SUBJECTS = Table(
    FactSubject,
    "fact_subjects",
    sort=("subject_key",),
    indexes={"gsi1": Place("subjects_by_folded", sort=("folded", "subject_key"))},
)
