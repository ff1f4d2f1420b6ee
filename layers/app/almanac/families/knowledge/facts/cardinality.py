"""Cardinality of predicates: how many objects a subject may have at one instant, stored until an actor changes it.

A predicate that is new says it by its own words where these leave no doubt: one speaks several languages and likes
several things. Else its use says it, once several objects hold at once at enough subjects. Anybody may state it
otherwise later.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import (
    PREDICATES,
    USES,
    Cardinality,
    CardinalityStatement,
    FactPredicate,
    FactSlot,
    FactUse,
)
from almanac.families.knowledge.facts.fact_input import NewFact
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.kernel.instants import iso
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MAX_STATED = 50
"""Number of times that one predicate may be given another cardinality."""
BY_ITS_WORDS = "(its words)"
"""The actor of a cardinality that follows from the words of the predicate: nobody stated it."""
BY_ITS_USE = "(its use)"
"""The actor of a cardinality that follows from the facts of a predicate."""
_LEAST_SUBJECTS = 3
_MOST_REPLACED = 0.25
"""Subjects at which one object replaced another, as a share of those at which several held at once."""
_MANY = re.compile(
    r"(?:(?:also|often|sometimes|currently|regularly)[_ -])?"
    r"(?:speaks?|uses?|likes?|loves?|hates?|dislikes?|enjoys?|knows?|owns|plays|reads|visited|attended|supports|includes"
    r"|contains|follows|mentors|speaks[_ -]language|(?:(?:is|was)[_ -])?(?:member[_ -]of|friends?[_ -](?:of|with)"
    r"|allergic[_ -]to|interested[_ -]in|fluent[_ -]in|related[_ -]to|tagged[_ -](?:with|as))"
    r"|works[_ -]with|depends[_ -]on|integrates[_ -]with|subscribed[_ -]to"
    r"|has[_ -](?:a[_ -])?(?:skill|hobby|child|kid|pet|friend|sibling|brother|sister|member|tag|label|access[_ -]to"
    r"|permission|allergy|certificate|dependency|feature|\w{2,}[^suia\W]s))",
    re.IGNORECASE,
)


_ONE = re.compile(
    r"(?:is|are|was|(?:has|is)[_ -])?[_ -]?(?:lives?|resides|located|based|hosted|born|stored)[_ -](?:in|at|on)"
    r"|(?:works|employed)[_ -](?:at|for|by)|reports[_ -]to|married[_ -]to|costs?|is"
    r"|(?:(?:has|is)[_ -])?(?:status|state|name|age|address|phone|email|price|size|colou?r|version|owner|birthday"
    r"|deadline|due[_ -]date|location|title|role|port|url|id|default|priority|owned[_ -]by|named|called)",
    re.IGNORECASE,
)


def is_clearly_one(predicate: str) -> bool:
    """Return whether a predicate goes with one object at a time by its words, so that nobody has to be asked."""
    return _ONE.fullmatch(predicate.strip()) is not None


def cardinality_by_words(predicate: str) -> Cardinality | None:
    """Return many for a predicate that several objects at once go with by its words; None where that is unclear."""
    return "many" if _MANY.fullmatch(predicate.strip()) else None


def is_by_words(predicate: FactPredicate) -> bool:
    """Return whether nobody stated the cardinality that a predicate has: its words or its use say it."""
    return bool(predicate.stated) and predicate.stated[-1].actor in (BY_ITS_WORDS, BY_ITS_USE)


def cardinality_from_use(predicate: str, several: int, replaced: int) -> Cardinality | None:
    """Return many where so many subjects had several objects at once, and few had one replaced by another; None where
    that is unclear, or the words of the predicate say one."""
    is_common = several >= _LEAST_SUBJECTS and replaced <= _MOST_REPLACED * several
    return "many" if is_common and not is_clearly_one(predicate) else None


class Use(Struct, frozen=True):
    """The effect of a fact on the statistics of its predicate: the changes that count it, the marks of its slot, and
    the resulting predicate."""

    several: bool
    replaced: bool
    predicate: FactPredicate
    changes: tuple[Change, ...] = ()


def use_after(
    knowledge: Knowledge, slot: FactSlot | None, predicate: FactPredicate, at: int, *, several: bool, replaced: bool
) -> Use:
    """Count a slot once for each; only while nobody has stated the cardinality. One row is read where it counts."""
    was_several, had_replaced = (slot.several, slot.replaced) if slot else (False, False)
    after = Use(was_several or several, had_replaced or replaced, predicate)
    if predicate.cardinality() is not None:
        return Use(was_several, had_replaced, predicate)
    if (after.several, after.replaced) == (was_several, had_replaced):
        return after
    rows = knowledge.rows(USES)
    row = rows.get(predicate.predicate_key)
    use = row or FactUse(predicate_key=predicate.predicate_key)
    use = altered(
        use,
        several=use.several + (after.several and not was_several),
        replaced=use.replaced + (after.replaced and not had_replaced),
    )
    cardinality = cardinality_from_use(predicate.predicate, use.several, use.replaced)
    if cardinality and not replaced and len(predicate.stated) < MAX_STATED:
        predicate = altered(predicate, stated=(*predicate.stated, CardinalityStatement(at, cardinality, BY_ITS_USE)))
    return Use(after.several, after.replaced, predicate, (rows.insert(use) if row is None else replace(rows, use),))


def predicate_after(
    knowledge: Knowledge, row: FactPredicate | None, wanted: NewFact, predicate_key: str, at: int
) -> FactPredicate:
    """The predicate as it is once `wanted` is recorded; `row` itself where nothing of it changes.

    Raises Conflict for another cardinality than the one that was stated, unless the caller means to change it.
    """
    predicate = row or _new(wanted, predicate_key, at)
    stated = predicate.cardinality()
    if wanted.cardinality is None or wanted.cardinality == stated:
        return predicate
    if stated is not None and not is_by_words(predicate) and not wanted.change_cardinality:
        last = predicate.stated[-1]
        raise Conflict(
            f"The cardinality of {predicate.predicate[:80]!r} is {stated}: {last.actor} stated it at "
            f"{iso(last.known_at)}.",
            "Leave cardinality out, or set change_cardinality to true, which changes it for every subject.",
            code="cardinality_stated",
        )
    if len(predicate.stated) >= MAX_STATED:
        raise LimitExceeded(
            f"The cardinality of {predicate.predicate[:80]!r} was changed {MAX_STATED} times.", "Use another predicate."
        )
    known_at = max([at, *(one.known_at for one in predicate.stated)])
    return altered(
        predicate, stated=(*predicate.stated, CardinalityStatement(known_at, wanted.cardinality, knowledge.actor))
    )


def _new(wanted: NewFact, predicate_key: str, at: int) -> FactPredicate:
    by_words = None if wanted.cardinality else cardinality_by_words(wanted.predicate)
    stated = (CardinalityStatement(at, by_words, BY_ITS_WORDS),) if by_words else ()
    return FactPredicate(predicate_key=predicate_key, predicate=wanted.predicate, stated=stated)


def predicate_changes(knowledge: Knowledge, row: FactPredicate | None, after: FactPredicate) -> Sequence[Change]:
    """Return the changes that store a predicate that is new or has changed."""
    rows = knowledge.rows(PREDICATES)
    if row is None:
        return [rows.insert(after)]
    return [replace(rows, after)] if after != row else []
