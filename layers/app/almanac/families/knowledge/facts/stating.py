"""Stating how many objects a subject may have at one instant: kept for each predicate until somebody changes it."""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import PREDICATES, FactPredicate, Stating
from almanac.families.knowledge.facts.given import Wanted
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.kernel.instants import iso
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MAX_STATED = 50
"""How often one predicate may be given another cardinality."""


def predicate_after(
    knowledge: Knowledge, row: FactPredicate | None, wanted: Wanted, predicate_key: str, at: int
) -> FactPredicate:
    """The predicate as it is once `wanted` is recorded; `row` itself where nothing of it changes.

    Raises Conflict for another cardinality than the one that was stated, unless the caller means to change it.
    """
    predicate = row or FactPredicate(predicate_key=predicate_key, predicate=wanted.predicate)
    stated = predicate.cardinality()
    if wanted.cardinality is None or wanted.cardinality == stated:
        return predicate
    if stated is not None and not wanted.change_cardinality:
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


def predicate_changes(knowledge: Knowledge, row: FactPredicate | None, after: FactPredicate) -> Sequence[Change]:
    """What stores it where it is new or has changed."""
    rows = knowledge.rows(PREDICATES)
    if row is None:
        return [rows.insert(after)]
    return [replace(rows, after)] if after != row else []
