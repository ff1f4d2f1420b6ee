"""Stating how many objects a subject may have at one instant: kept for each predicate until somebody changes it.

A predicate that is new says it by its own words where these leave no doubt: one speaks several languages and likes
several things. Anybody may state it otherwise later.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import PREDICATES, Cardinality, FactPredicate, Stating
from almanac.families.knowledge.facts.given import Wanted
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.kernel.instants import iso
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MAX_STATED = 50
"""How often one predicate may be given another cardinality."""
BY_ITS_WORDS = "(its words)"
"""The actor of a cardinality that follows from the words of the predicate: nobody stated it."""
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
    """Return whether nobody stated the cardinality that a predicate has."""
    return bool(predicate.stated) and predicate.stated[-1].actor == BY_ITS_WORDS


def predicate_after(
    knowledge: Knowledge, row: FactPredicate | None, wanted: Wanted, predicate_key: str, at: int
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
    return altered(predicate, stated=(*predicate.stated, Stating(known_at, wanted.cardinality, knowledge.actor)))


def _new(wanted: Wanted, predicate_key: str, at: int) -> FactPredicate:
    by_words = None if wanted.cardinality else cardinality_by_words(wanted.predicate)
    stated = (Stating(at, by_words, BY_ITS_WORDS),) if by_words else ()
    return FactPredicate(predicate_key=predicate_key, predicate=wanted.predicate, stated=stated)


def predicate_changes(knowledge: Knowledge, row: FactPredicate | None, after: FactPredicate) -> Sequence[Change]:
    """What stores it where it is new or has changed."""
    rows = knowledge.rows(PREDICATES)
    if row is None:
        return [rows.insert(after)]
    return [replace(rows, after)] if after != row else []
