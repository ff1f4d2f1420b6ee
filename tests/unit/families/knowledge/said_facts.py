"""Stated facts, for tests of rules that derive something from them."""

from almanac.families.knowledge.core.records import Ending, Fact


def make_fact(
    fact_id: str,
    what: str,
    valid_from: int,
    stated_to: int | None = None,
    *,
    recorded_at: int = 0,
    endings: tuple[Ending, ...] = (),
) -> Fact:
    """Return the fact that Ann lives_in `what`."""
    return Fact(
        id=fact_id,
        subject_key="Ann",
        predicate_key="lives_in",
        object_key=what,
        subject="Ann",
        predicate="lives_in",
        object=what,
        valid_from=valid_from,
        stated_to=stated_to,
        recorded_at=recorded_at,
        confirmed_at=recorded_at,
        actor="ann",
        endings=endings,
    )


def make_ending(at: int | None, known_at: int = 0) -> Ending:
    return Ending(known_at, at, "ann")
