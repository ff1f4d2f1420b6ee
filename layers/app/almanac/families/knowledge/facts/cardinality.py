"""Cardinality of predicates: how many objects a subject may have at one instant, stored until an actor changes it.

A new predicate has a cardinality by its words if these are clear, such as "speaks" or "likes". Otherwise its use
decides, once enough subjects have several objects at once. A caller may state another cardinality later.
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
"""Maximum number of times that the cardinality of a predicate may change."""
BY_ITS_WORDS = "(its words)"
"""Actor of a cardinality that follows from the words of the predicate."""
BY_ITS_USE = "(its use)"
"""Actor of a cardinality that follows from the facts of the predicate."""
_LEAST_SUBJECTS = 3
_MOST_REPLACED = 0.25
"""Maximum share of subjects at which one object replaced another, relative to those at which several held at once."""
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
    """Return whether a predicate, by its words, has one object at a time, so that the caller need not be asked."""
    return _ONE.fullmatch(predicate.strip()) is not None


def cardinality_by_words(predicate: str) -> Cardinality | None:
    """Return "many" if a predicate, by its words, has several objects at once; None if that is unclear."""
    return "many" if _MANY.fullmatch(predicate.strip()) else None


def is_by_words(predicate: FactPredicate) -> bool:
    """Return whether the cardinality follows from the predicate's words or use, rather than from a statement."""
    return bool(predicate.stated) and predicate.stated[-1].actor in (BY_ITS_WORDS, BY_ITS_USE)


def cardinality_from_use(predicate: str, several: int, replaced: int) -> Cardinality | None:
    """Return "many" if many subjects had several objects at once and few had one replaced by another. Return None if
    that is unclear, or if the words of the predicate say one."""
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
    """Count a fact in the statistics of its predicate, unless the cardinality is stated. A slot counts once for each
    statistic. Only a fact that counts costs a read."""
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
    knowledge: Knowledge, row: FactPredicate | None, new: NewFact, predicate_key: str, at: int
) -> FactPredicate:
    """Return the predicate after `new` is recorded; `row` itself if nothing changes. Raises Conflict if the caller
    states another cardinality without asking to change it."""
    predicate = row or _new(new, predicate_key, at)
    stated = predicate.cardinality()
    if new.cardinality is None or new.cardinality == stated:
        return predicate
    if stated is not None and not is_by_words(predicate) and not new.change_cardinality:
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
        predicate, stated=(*predicate.stated, CardinalityStatement(known_at, new.cardinality, knowledge.actor))
    )


def _new(new: NewFact, predicate_key: str, at: int) -> FactPredicate:
    by_words = None if new.cardinality else cardinality_by_words(new.predicate)
    stated = (CardinalityStatement(at, by_words, BY_ITS_WORDS),) if by_words else ()
    return FactPredicate(predicate_key=predicate_key, predicate=new.predicate, stated=stated)


def predicate_changes(knowledge: Knowledge, row: FactPredicate | None, after: FactPredicate) -> Sequence[Change]:
    """Return the changes that store a predicate that is new or has changed."""
    rows = knowledge.rows(PREDICATES)
    if row is None:
        return [rows.insert(after)]
    return [replace(rows, after)] if after != row else []
